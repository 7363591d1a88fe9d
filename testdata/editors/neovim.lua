-- Drives Neovim's own client through one session; see TestNeovim in daemon/ctxd. Prints "step: what was seen" to $OUT.
local out = io.open(os.getenv("OUT"), "w")
local root = os.getenv("ROOT")
local function say(step, value)
  out:write(step .. ": " .. tostring(value) .. "\n")
  out:flush()
end
local function wait(step, f)
  if not vim.wait(60000, f, 20) then
    say(step, "nothing came")
    vim.cmd("cquit")
  end
end
local function run(command) return vim.fn.system(command) end
local function place(l)
  local file = vim.uri_to_fname(l.uri or l.targetUri):gsub("^" .. vim.pesc(root) .. "/", "")
  local range = l.range or l.targetSelectionRange
  return file .. ":" .. (range.start.line + 1)
end
local function seek(text) -- puts the cursor on the first place of text
  vim.fn.cursor(1, 1)
  vim.fn.search("\\V" .. text, "cW")
end
local function here() return vim.fn.expand("%:p"):gsub("^" .. vim.pesc(root) .. "/", "") .. ":" .. vim.fn.line(".") end

vim.o.swapfile = false
vim.o.hidden = true
vim.o.autoread = true
vim.cmd("edit " .. root .. "/extra/extra.go")
local buffer = vim.api.nvim_get_current_buf()
local ended
local id = vim.lsp.start_client({
  name = "ctx", cmd = { "ctx", "lsp" }, root_dir = root,
  on_exit = function(code) ended = code end,
})
vim.lsp.buf_attach_client(buffer, id)
wait("attach", function() return vim.lsp.buf_is_attached(buffer, id) and vim.lsp.get_client_by_id(id).initialized end)
say("open", "attached")

local function ask(method, params, buf)
  local answers, err = vim.lsp.buf_request_sync(buf or 0, method, params, 60000)
  if not answers then return nil, err end
  local a = answers[id] or {}
  return a.result, a.error and a.error.message
end
local function position() return vim.lsp.util.make_position_params(0, vim.lsp.get_client_by_id(id).offset_encoding) end

seek("EncodeToString(v)")
vim.lsp.buf.definition()
wait("jump", function() return vim.fn.expand("%:t") == "hex.go" end)
say("jump", vim.fn.getline("."):match("^func %w+"))
local hex = vim.api.nvim_get_current_buf()
vim.lsp.buf_attach_client(hex, id)
vim.cmd("buffer " .. buffer)

seek("Total(")
local params = position()
params.context = { includeDeclaration = true }
local refs = ask("textDocument/references", params)
local places = {}
for _, r in ipairs(refs) do table.insert(places, place(r)) end
say("references", table.concat(places, " "))

seek("sum :=")
vim.lsp.buf.rename("acc")
wait("rename", function() return vim.fn.search("return acc", "nw") > 0 end)
say("rename", table.concat(vim.fn.getline(7, 12), "|"))

vim.fn.append(0, "// typed, not saved")
vim.fn.append(vim.fn.line("$"), { "", "func TypedByHand() int { return Total(nil) }" })
local symbols = ask("workspace/symbol", { query = "TypedByHand" })
say("edit", #symbols .. " " .. place(symbols[1].location))
say("shell", run("ctx def extra.TypedByHand 2>&1 | head -1; ctx def repo:extra/extra.go:Total --no-body 2>&1 | grep note"):gsub("\n", "|"))

seek("func Total")
local line = vim.fn.getline(".")
vim.fn.setline(".", line .. " {{{(")
wait("diagnostics", function() return #vim.diagnostic.get(buffer) > 0 end)
say("diagnostics", vim.diagnostic.get(buffer)[1].source)
vim.fn.setline(".", line)
wait("no diagnostics", function() return #vim.diagnostic.get(buffer) == 0 end)

local outline = ask("textDocument/documentSymbol", { textDocument = vim.lsp.util.make_text_document_params() })
local names = {}
for _, s in ipairs(outline) do table.insert(names, s.name) end
say("symbols", table.concat(names, " "))

seek("Total(")
local hover = ask("textDocument/hover", position())
say("hover", (hover.contents.value:match("func Total[^\n]*") or "?") .. " " .. (hover.contents.value:match("repo:%S+ %-%-lines") or "?"))

vim.cmd("edit " .. root .. "/notes.md")
local notes = vim.api.nvim_get_current_buf()
vim.lsp.buf_attach_client(notes, id)
local links = ask("textDocument/documentLink", { textDocument = vim.lsp.util.make_text_document_params() })
say("links", #links .. " " .. vim.uri_to_fname(links[1].target:gsub("#.*", "")):gsub("^" .. vim.pesc(root) .. "/", "") .. links[1].target:match("#.*"))
wait("lost", function() return #vim.diagnostic.get(notes) == 1 end)
say("lost", vim.diagnostic.get(notes)[1].code)

vim.cmd("buffer " .. buffer)
vim.cmd("silent write")
run("printf 'package hex\n\nfunc External() {}\n' > " .. root .. "/hex/external.go")
symbols = ask("workspace/symbol", { query = "External" })
say("external", place(symbols[1].location))

run("cd " .. root .. " && git stash -q && git checkout -q other")
vim.cmd("checktime")
wait("checkout", function() return vim.fn.search("Branch", "nw") > 0 end)
symbols = ask("workspace/symbol", { query = "Branch" })
say("checkout", #symbols .. " " .. place(symbols[1].location))
local gone = ask("workspace/symbol", { query = "TypedByHand" })
say("gone", #gone)

vim.lsp.stop_client(id)
wait("shutdown", function() return ended ~= nil end)
say("shutdown", ended)
out:close()
vim.cmd("qall!")
