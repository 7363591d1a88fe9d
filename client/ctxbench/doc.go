// Command ctxbench measures the daemon as a client like any other. A figure is a ratio to a floor that
// is measured in the same run, on the same machine, turn by turn; where the contract gives a time,
// it is that time. Every bar gets a verdict, and the last lines list them:
//
//	ctxbench latency    whole ctx processes beside an empty program that dials the socket; calls on
//	                    an open connection beside an echo call; 1,000 addresses in one call
//	ctxbench fresh      writes in several styles into a copy of the tree, each followed by a def, or
//	                    what --ask names, that must show it; --gate makes it harder, see below
//	ctxbench cold       the first answer with no daemon and no state beside rg -l; the whole index
//	                    beside the bare parse of the same files; restarts, also after kill -9
//	ctxbench memory     resident memory of the idle daemon beside the bytes of source
//	ctxbench big        lost anchors in a file of 1,000,000 lines
//	ctxbench all        all of these, one after the other
//	ctxbench lsp        a keystroke and a question behind it, over ctx lsp and over the language server that
//	                    --server names (gopls); then the memory of three editors on each
//	ctxbench map        maps of a copy of the tree in 1,000 tokens, beside an echo call; rows asked of def
//	ctxbench refs       references of a name with 1,000 sites, with 10, and of none, beside an echo call
//	ctxbench recall     definitions beside universal-ctags, tag by tag
//	ctxbench search     50 patterns beside rg: the same lines, and the time
//	ctxbench storm      --git REPO: 20 switches between commits a year apart while 8 clients ask
//	ctxbench storms     --git REPO: that, git stash, a formatter, rm -rf and a new clone, 20,000 files
//	                    into an ignored directory, 50 writes a second into one
//	ctxbench soak       200,000 random operations on a small tree, all answers checked; then what the
//	                    daemon uses of the system, beside what it used when it was warm
//	ctxbench diag       rows on a clean tree; then, with --language, rows for damages of one token, or
//	                    with --changes N for what the last N commits of --git REPO changed
//	ctxbench subscribe  10,000 addresses are held while their files are edited 10,000 times: what is told
//	                    beside a replay, and when, beside the kernel's own event
//	ctxbench worktrees  ten linked worktrees of one repository beside one
//	ctxbench truth      references beside a language server's, on a sample of symbols
//	ctxbench drift      addresses through edits, or with --git REPO,REPO through their history
//
// --files N lets any of them measure a tree of N files, made of changed copies of the tree's. fresh on
// such a tree is the update of one file.
//
// It starts a daemon of its own, with its own socket, state and configuration, and ends it.
//
// # Who writes
//
// The promise is about writes by any process. In fresh the writer is never the daemon, and every second
// write is not the asker's either: a process of its own makes it and reports over a pipe. The
// other half is the harder one: the asker that has just written asks at once, while the report of
// another process takes some 0.05 ms in which the daemon could catch up. Both have a row.
//
// # Gates
//
// Each gate is a state in which a daemon that trusts its events would be wrong, and is checked to have
// been there:
//
//	overflow  the daemon is held (SIGSTOP) while more events are caused than its queue has room for;
//	          then the write, then the question, and only then is it let go
//	held      the same without the overflow: nothing can have been read before the question is there
//	refused   the user's configuration allows 50 watched directories
//	mtime     every write gives the file its modification time back
//
// # Damages
//
// diag deletes, doubles or replaces one token at random places of files that compile, and asks the compiler of the language
// whether that is a syntax error: gofmt, python3, node, the typescript package's parser (--typescript DIR), javac's
// parser, rustc, clang. What it refuses must be reported, within a line of the damage or of the compiler's own line; what
// it takes must not be. The committed file is known to the daemon, as it is in life. --cases FILE keeps the
// damages, so that two versions of ctx can be compared on the same. Clang sees the branches of one
// configuration: a damage in another is taken, and rightly reported.
//
// # Drift
//
// drift asks for addresses, changes the files, asks what became of the addresses, and judges each answer. Without
// --git it makes edits of five shapes at random spans of the tree's files and knows what became of each line. With it, the
// files of a clone are taken from commit to commit, and git's own histogram diff says what became of each
// line; --no-captures goes the way once more with a daemon that has never seen the addresses and has only the
// repository. Beside the daemon's answers stand those of anchors.MapLines between the two versions, and the nearest
// copy's. --maps compares MapLines itself with git, every span of every file, and git's other ways to compare
// with it. docs/drift.md says what counts as right.
//
// # Storms
//
// What is true of each state of the tree is learnt from the daemon itself while nothing changes: path,
// lines and text of every definition of some 150 names. An answer whose question was sent after one
// change ended and that came before the next began must be that truth, row for row. One that was given
// while the tree changed must not have a row that is in neither of the truths around it; rows may be
// missing from it, as files are.
//
// # Truth
//
// What refs says is compared with what a language server says, place by place:
//
//	ctxbench truth --server gopls --language go --root DIR --save FILE   ask the server, keep its answers
//	ctxbench truth --root DIR --load FILE                               ask ctx, compare
//
// The sample is the server's, so that it is not what ctx finds: 300 symbols that it lists in files picked by
// chance, the same ones each time, as many functions, methods, types, values, fields and local names as far
// as there are. Names of at most three letters and those that are in the tree more than 2,000 times are
// sampled and reported apart. The kept answers name the tree by a digest and are refused on another.
//
// Rows labelled local or import are right when the server has them too; the share of these is precision.
// Recall is the share of the server's references that are among all rows. The symbol's own place counts
// for neither. Both are also given for a plain search for the word. Not counted, and printed by their
// reason: rows where the server does not see (another module or platform, files of no project, lines that
// the preprocessor leaves out, bodies of macros), and what it reports at a place where a macro, and not
// the text, has the name.
package main
