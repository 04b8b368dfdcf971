//! What is left when parts fail (the promises of availability, by their
//! letters): a pipeline answers with what still works, and says so.
//!
//! Some parts hold a thread; there are enough of them, as in the program.

mod r1_a_retriever_fails;
mod r1_several_bases;
mod r2_the_reranker_fails;
mod r3_deadlines;
mod r4_all_retrievers_fail;
mod sick;
