# For the training commands: fill GANNET STORES COLLECTION makes the store of a
# collection below STORES, or adds what it lacks of the entries and vectors. One
# that has all is only read: a few seconds. The first time takes minutes (the
# reports of reactors: half an hour).
fill() {
    local gannet=$1 stores=$2 collection=$3 here corpus question
    here=$(dirname "${BASH_SOURCE[0]}")
    corpus=$(python3 "$here/reader/lists.py" --corpus "$collection")
    if [ ! -s "$corpus/corpus.jsonl" ]; then
        echo "no entries to train on: $corpus/corpus.jsonl is not there; see training/reader/README.md, or leave the collection out with WITHOUT=$collection" >&2
        return 1
    fi
    mkdir -p "$stores"
    question=$(mktemp)
    printf '%s\n' '{"id": "any", "text": "pump", "category": "fact", "gold": [], "answers": [], "unanswerable": true}' >"$question"
    "$gannet" eval "$corpus" --qa "$question" --data "$stores/$collection" >/dev/null || { rm -f "$question"; return 1; }
    rm -f "$question"
}
