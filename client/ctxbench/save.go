package main

import (
	"errors"
	"os"
)

// save is one way in which programs write files.
type save struct {
	name     string
	sameSize bool // the text must be as long as the file
	write    func(path string, text []byte) error
}

var saves = []save{
	{name: "in place, then cut to size", write: inPlace},
	{name: "temporary file and rename", write: byRename},
	{name: "backup aside, then a new file (vim)", write: byBackup},
	{name: "truncate and write", write: truncated},
	{name: "same size, in place", sameSize: true, write: inPlace},
	{name: "same size, mtime kept", sameSize: true, write: mtimeKept},
	{name: "removed, then created", write: removed},
}

func inPlace(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, 0)
	return errors.Join(err, f.Truncate(int64(len(text))), f.Close())
}

func byRename(path string, text []byte) error {
	if err := os.WriteFile(path+".tmp", text, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

func byBackup(path string, text []byte) error {
	if err := os.Rename(path, path+"~"); err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	return os.Remove(path + "~")
}

func truncated(path string, text []byte) error { return os.WriteFile(path, text, 0o644) }

func mtimeKept(path string, text []byte) error {
	fi, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, 0)
	return errors.Join(err, f.Close(), os.Chtimes(path, fi.ModTime(), fi.ModTime()))
}

func removed(path string, text []byte) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
