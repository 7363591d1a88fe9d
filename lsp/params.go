package lsp

import (
	"encoding/json"

	"go.lsp.dev/protocol"
)

// docID is a TextDocumentIdentifier that must be there.
type docID struct {
	TextDocument *struct {
		URI *string `json:"uri"`
	} `json:"textDocument"`
	WorkDoneToken json.RawMessage `json:"workDoneToken"`
}

func (p *docID) check() error {
	if p.TextDocument == nil || p.TextDocument.URI == nil {
		return invalid("textDocument.uri is missing")
	}
	return nil
}

func (p *docID) uri() string { return *p.TextDocument.URI }

// docPosition is a document and a position in it.
type docPosition struct {
	docID
	Position *protocol.Position `json:"position"`
}

func (p *docPosition) check() error {
	if p.Position == nil {
		return invalid("position is missing")
	}
	return p.docID.check()
}

// docRange is a document and a range in it.
type docRange struct {
	docID
	Range *protocol.Range `json:"range"`
}

func (p *docRange) check() error {
	if p.Range == nil {
		return invalid("range is missing")
	}
	return p.docID.check()
}
