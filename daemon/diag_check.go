package daemon

import "context"

// checking is what a workspace's checkers do.
type checking struct{}

func (ws *Workspace) check(ctx context.Context, x *examiner) {}
