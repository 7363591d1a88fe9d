package lsp

import (
	"encoding/json"

	"go.lsp.dev/protocol"

	"ctxd/client/wire"
)

// initializeParams is what is read of initialize. protocol's own fails on legal ones (a processId above 31 bits, an
// empty object for semanticTokens.requests.range) and knows no positionEncodings.
type initializeParams struct {
	RootPath         *string                    `json:"rootPath"`
	RootURI          *string                    `json:"rootUri"`
	WorkspaceFolders []protocol.WorkspaceFolder `json:"workspaceFolders"`
	Trace            string                     `json:"trace"`
	Capabilities     clientCapabilities         `json:"capabilities"`
}

type linkSupport struct {
	LinkSupport bool `json:"linkSupport"`
}

// knownKinds are the kinds of symbols that a client knows; it need not name the first 18.
type knownKinds struct {
	ValueSet []protocol.SymbolKind `json:"valueSet"`
}

// clientCapabilities are those that make a difference to an answer.
type clientCapabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
		ShowDocument     struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
	Workspace struct {
		Symbol struct {
			SymbolKind     knownKinds `json:"symbolKind"`
			ResolveSupport *struct {
				Properties []string `json:"properties"`
			} `json:"resolveSupport"`
		} `json:"symbol"`
		Diagnostics struct {
			RefreshSupport bool `json:"refreshSupport"`
		} `json:"diagnostics"`
		WorkspaceEdit struct {
			DocumentChanges bool `json:"documentChanges"`
		} `json:"workspaceEdit"`
	} `json:"workspace"`
	TextDocument struct {
		Definition     linkSupport `json:"definition"`
		Declaration    linkSupport `json:"declaration"`
		TypeDefinition linkSupport `json:"typeDefinition"`
		Implementation linkSupport `json:"implementation"`
		Hover          struct {
			ContentFormat []string `json:"contentFormat"`
		} `json:"hover"`
		DocumentSymbol struct {
			SymbolKind   knownKinds `json:"symbolKind"`
			Hierarchical bool       `json:"hierarchicalDocumentSymbolSupport"`
		} `json:"documentSymbol"`
		CodeAction struct {
			Literals *struct{} `json:"codeActionLiteralSupport"`
		} `json:"codeAction"`
		Rename struct {
			PrepareSupport bool `json:"prepareSupport"`
		} `json:"rename"`
		PublishDiagnostics struct {
			VersionSupport bool `json:"versionSupport"`
		} `json:"publishDiagnostics"`
		Diagnostic *struct{} `json:"diagnostic"`
	} `json:"textDocument"`
}

// lifecycle answers the requests of a session's life, and refuses others outside of it; done says that it did.
func (s *Session) lifecycle(method string, raw json.RawMessage) (result any, err error, done bool) {
	switch {
	case s.phase == phaseShutDown:
		return nil, failure(wire.CodeInvalidRequest, "%s came after shutdown: only exit may", method), true
	case s.phase == phaseNew && method != "initialize":
		return nil, failure(codeNotInitialized, "%s came before initialize", method), true
	case method == "initialize" && s.phase != phaseNew:
		return nil, failure(wire.CodeInvalidRequest, "initialize came twice"), true
	case method == "initialize":
		result, err = s.initialize(raw)
		return result, err, true
	case method == "shutdown":
		s.phase = phaseShutDown
		return nil, nil, true
	}
	return nil, nil, false
}

func (s *Session) initialize(raw json.RawMessage) (any, error) {
	var p initializeParams
	if err := decode(raw, &p); err != nil {
		return nil, err
	}
	s.client = p.Capabilities
	s.trace.Store(p.Trace == "messages" || p.Trace == "verbose")
	s.encoding = utf16Units
	for _, e := range p.Capabilities.General.PositionEncodings { // the client's order is its preference
		if e := encoding(e); e == utf8Units || e == utf16Units || e == utf32Units {
			s.encoding = e
			break
		}
	}
	next := &moment{s: s}
	switch {
	case len(p.WorkspaceFolders) > 0:
		for _, f := range p.WorkspaceFolders {
			s.addFolder(next, f.URI)
		}
	case p.RootURI != nil:
		s.addFolder(next, *p.RootURI)
	case p.RootPath != nil && *p.RootPath != "":
		s.addFolder(next, string(fileURI(*p.RootPath)))
	}
	s.phase = phaseRunning
	s.publish(next)
	s.publisher.start()
	return map[string]any{"capabilities": s.capabilities(), "serverInfo": map[string]string{"name": "ctx", "version": wire.Version}}, nil
}

// capabilities are all that the server can do. What is pulled is not pushed as well.
func (s *Session) capabilities() map[string]any {
	var rename, actions any = true, true // options are for clients that say so
	if s.client.TextDocument.Rename.PrepareSupport {
		rename = map[string]any{"prepareProvider": true}
	}
	if s.client.TextDocument.CodeAction.Literals != nil {
		actions = map[string]any{"codeActionKinds": []string{actionSource, actionFix}}
	}
	files := map[string]any{"filters": []any{map[string]any{"scheme": "file", "pattern": map[string]any{"glob": "**"}}}}
	return map[string]any{
		"positionEncoding": s.encoding,
		"textDocumentSync": map[string]any{
			"openClose": true, "change": protocol.TextDocumentSyncKindIncremental, "save": map[string]any{"includeText": true},
		},
		"definitionProvider": true, "declarationProvider": true, "typeDefinitionProvider": true, "implementationProvider": true,
		"referencesProvider": progressing(nil), "documentHighlightProvider": true, "documentSymbolProvider": true,
		"workspaceSymbolProvider": progressing(map[string]any{"resolveProvider": true}),
		"hoverProvider":           true, "callHierarchyProvider": true, "foldingRangeProvider": true, "selectionRangeProvider": true,
		"semanticTokensProvider": map[string]any{
			"legend": map[string]any{"tokenTypes": tokenTypes, "tokenModifiers": tokenModifiers}, "full": true, "range": true,
		},
		"renameProvider":         rename,
		"documentLinkProvider":   map[string]any{"resolveProvider": false},
		"codeActionProvider":     actions,
		"executeCommandProvider": map[string]any{"commands": commandNames},
		"diagnosticProvider":     map[string]any{"identifier": "ctx", "interFileDependencies": true, "workspaceDiagnostics": true},
		"workspace": map[string]any{
			"workspaceFolders": map[string]any{"supported": true, "changeNotifications": true},
			"fileOperations":   map[string]any{"willRename": files, "didRename": files},
		},
	}
}

// progressing are the options of a request that reports its progress.
func progressing(options map[string]any) map[string]any {
	if options == nil {
		options = map[string]any{}
	}
	options["workDoneProgress"] = true
	return options
}

func (s *Session) initialized(json.RawMessage) error {
	s.showIndexing()
	return nil
}

func (s *Session) setTrace(raw json.RawMessage) error {
	var p struct {
		Value string `json:"value"`
	}
	if err := decode(raw, &p); err != nil {
		return err
	}
	switch p.Value {
	case "off", "messages", "verbose":
		s.trace.Store(p.Value != "off")
		return nil
	}
	return invalid("trace is off, messages or verbose, not %q", p.Value)
}
