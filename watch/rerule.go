package watch

import (
	"context"
	"errors"
)

// visits are the looks of one follow-up at single directories.
type visits struct {
	st    *state
	s     *sweeper
	nodes map[*node]*touched // to be looked at, parents first
}

// look visits n. When its rules are others than before, what they change below it is looked at, too.
func (v *visits) look(ctx context.Context, n *node) error {
	before := n.inner
	v.s.delta.now = v.nodes[n]
	v.s.queue.init()
	v.s.queue.push([]work{{node: n}})
	v.st.workers[0].run(v.s)
	if err := errors.Join(ctx.Err(), v.s.err); err != nil {
		return err
	}
	if n.inner == before {
		return nil
	}
	return v.below(ctx, n)
}

// below brings the rules of the directories in n into line with those of n. A directory of which they decide as
// before is not read: a look at the whole tree for each changed ignore file took prometheus, with 250 directories, 10 ms, in
// which no request was answered, two or three times in each switch of branches.
func (v *visits) below(ctx context.Context, n *node) error {
	for i := range n.kids {
		k := &n.kids[i]
		if k.sub == nil {
			continue
		}
		k.sub.outer = n.inner.inside(k.verdict)
		if err := v.rerule(ctx, k.sub); err != nil {
			return err
		}
	}
	return nil
}

// rerule gives n, which has not changed itself as far as events tell, the rules that follow from n.outer. Where more has happened
// in n its turn comes, with what is below it: the nodes above it come first. So nothing is looked at twice: what was decided below
// n with rules of its own that were about to change would not be decided again.
func (v *visits) rerule(ctx context.Context, n *node) error {
	if t := v.nodes[n]; t != nil {
		t.decide = true
		return nil
	}
	inner, known := n.reruled(v.s.fold)
	switch {
	case !n.listed || inner == n.inner && known:
		return nil
	case known && n.decidesAs(inner, v.s):
		n.inner = inner
		return v.below(ctx, n)
	}
	v.nodes[n] = &touched{decide: true}
	return v.look(ctx, n)
}

// reruled are n's rules in n.outer, with those of its own ignore files as they were read last. They are not known where git's
// were not read because n was in an ignored directory.
func (n *node) reruled(fold bool) (inner layers, known bool) {
	inner = n.outer
	if inner.hidden != n.inner.hidden {
		return inner, false
	}
	inner.git = n.gitignore.around(inner.git, n.inner.git, fold)
	inner.ctx = n.ctxignore.around(inner.ctx, n.inner.ctx, fold)
	return inner, true
}

// around is the chain in outer that stands for the chain before, which may have these rules innermost.
func (f *ignoreFile) around(outer, before *ruleChain, fold bool) *ruleChain {
	if f == nil || f.chain == nil || f.chain != before {
		return outer // there was no such file, or no rule in it
	}
	return f.chained([]byte(f.content), f.list.source, fold, outer, before.base)
}

// decidesAs says whether rules decide of all that is in n as was decided.
func (n *node) decidesAs(rules layers, s *sweeper) bool {
	dir := s.prefix + string(n.path(nil))
	for i := range n.kids {
		k := &n.kids[i]
		full := dir + k.name()
		if v, _, _ := rules.decide(full, full[len(dir):], kindVerdict(k.kind), s.tracked); v != k.verdict {
			return false
		}
	}
	return true
}
