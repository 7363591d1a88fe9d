package wire

// Version is the release that this build belongs to. A release build may stamp it with
// -ldflags "-X ctxd/client/wire.Version=1.2.3"; client and daemon compare it (see Older).
var Version = "0.1.0"
