package cli

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestLazyTimeout: it ends as context.WithTimeout does, whether or not somebody waits for it.
func TestLazyTimeout(t *testing.T) {
	ctx, cancel := withLazyTimeout(t.Context(), time.Hour)
	if at, ok := ctx.Deadline(); !ok || time.Until(at) > time.Hour || ctx.Err() != nil {
		t.Errorf("%v, %v, %v", at, ok, ctx.Err())
	}
	done := ctx.Done()
	cancel()
	if <-done; !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("awaited and cancelled: %v", ctx.Err())
	}

	ctx, cancel = withLazyTimeout(t.Context(), time.Hour)
	cancel()
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("cancelled: %v", ctx.Err())
	}
	<-ctx.Done()

	ctx, cancel = withLazyTimeout(t.Context(), 0)
	defer cancel()
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("over: %v", ctx.Err())
	}
	if <-ctx.Done(); !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("over and awaited: %v", ctx.Err())
	}

	parent, end := context.WithCancel(t.Context())
	ctx, cancel = withLazyTimeout(parent, time.Hour)
	defer cancel()
	end()
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("its parent ended: %v", ctx.Err())
	}
}
