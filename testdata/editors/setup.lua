-- Uses the set-up for Neovim that docs/editors.md gives, which is in $SETUP; see TestNeovimSetup in daemon/ctxd. Prints
-- "step: what was seen" to $OUT.
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
local function seek(text)
  vim.fn.cursor(1, 1)
  vim.fn.search("\\V" .. text, "cW")
end
local function press(keys) vim.api.nvim_feedkeys(keys, "mx", false) end

vim.o.swapfile = false
vim.o.hidden = true
vim.cmd([[
  let g:copied = ""
  let g:clipboard = {'name': 'test',
    \ 'copy': {'+': {lines, kind -> extend(g:, {'copied': join(lines, "\n")})}, '*': {lines, kind -> 0}},
    \ 'paste': {'+': {-> [split(g:copied, "\n"), 'v']}, '*': {-> [[], 'v']}}}
]])
dofile(os.getenv("SETUP"))
vim.cmd("filetype on")
vim.cmd("edit " .. root .. "/extra/extra.go")
local function attached()
  for _, client in pairs(vim.lsp.buf_get_clients(0)) do
    if client.initialized then return client end
  end
end
wait("attach", attached)
say("open", attached().name)

seek("Total(values")
press("gya")
wait("copy", function() return vim.g.copied ~= "" end)
say("copy", vim.g.copied)

-- Selected lines, upwards from the last of the file.
vim.g.copied = ""
vim.cmd("normal! G")
press("Vkgya")
wait("copy lines", function() return vim.g.copied ~= "" end)
say("copy lines", vim.g.copied)
say("mode", vim.fn.mode())

vim.cmd("edit " .. root .. "/notes.md")
wait("attach to the notes", attached)
seek("repo:")
press("gxa")
wait("show", function() return vim.fn.expand("%:t") == "extra.go" end)
say("show", vim.fn.getline("."))
out:close()
vim.cmd("qall!")
