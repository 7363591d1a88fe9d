// Package client dials the daemon, starts it when asked to, and makes typed calls.
//
// It is what ctx is built from and what other programs import, so it starts fast: no cgo, no
// package net, no third-party module. A plain go install links package net with cgo, which costs
// 4 to 5 ms at every start (measured: 13.7 ms for an empty program that dials through net,
// 8.6 ms through raw system calls), so the socket is made with package syscall and handed to
// os.NewFile, which gives it the runtime's poller and deadlines. Linux only, for SO_PEERCRED.
//
// How a call is made:
//
//  1. connect (client.go): one connection per Client, opened by whoever needs it first;
//  2. dial (dial.go): the owner of the socket is checked before a byte is sent;
//  3. start (start.go), when nothing listens: take the lock, create the listening socket, hand
//     both to the daemon, dial. The kernel keeps the connection until the daemon accepts it;
//  4. send (conn.go for many goroutines, solo.go for one): ctx/hello and the first request
//     leave in one write, or hello as soon as there is a connection where the caller has more to
//     find out before its request (Alone). Requests on one connection are told apart by id;
//  5. an older daemon is asked to stop and replaced; a dead one is started again, and the
//     request repeated when that is harmless.
package client
