//! Providers: embedders, rerankers, readers and chat models.

mod chat_model;
mod embedder;
mod reader;
mod reranker;

pub use chat_model::{
    ChatChunk, ChatMessage, ChatModel, ChatRequest, ChatRole, ChatStream, ChatTool, DynChatModel,
    ToolCall,
};
pub use embedder::{DynEmbedder, EmbedPurpose, EmbedRequest, Embedder, EmbeddingModel, Embeddings};
pub use reader::{DynReader, ReadPassage, ReadRequest, ReadSpan, Reader, Reading};
pub use reranker::{DynReranker, RerankRequest, RerankScore, Reranker};
