// A ledger checked by Go's own packages for signed notes and transparency logs, golang.org/x/mod/sumdb.
//
//	sumdb ledger DIR VKEY                the checkpoint, every tile, every entry, and its proof
//	sumdb proof VKEY FILE.tlog-proof FILE.entry
//	sumdb consistency DIR VKEY OLD       an older checkpoint is the beginning of DIR's
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8 // of a tile: 256 hashes

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

func must[T any](v T, err error) T {
	if err != nil {
		fail("%v", err)
	}
	return v
}

// The tree that a signed note is about.
func open(text []byte, vkey string) tlog.Tree {
	verifier := must(note.NewVerifier(strings.TrimSpace(vkey)))
	n := must(note.Open(text, note.VerifierList(verifier)))
	lines := strings.Split(n.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		fail("not a checkpoint of %s: %q", verifier.Name(), n.Text)
	}
	size := must(strconv.ParseInt(lines[1], 10, 64))
	var root tlog.Hash
	if copy(root[:], must(base64.StdEncoding.DecodeString(lines[2]))) != len(root) {
		fail("the root is not a hash")
	}
	return tlog.Tree{N: size, Hash: root}
}

// Tiles out of a directory. Go's paths have the height in front of the level; C2SP's do not.
type tiles struct {
	dir  string
	read int
}

func (t *tiles) Height() int { return height }

func (t *tiles) ReadTiles(want []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range want {
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data, err := os.ReadFile(filepath.Join(t.dir, path))
		if os.IsNotExist(err) && tile.W < 1<<height { // a partial one may go when it is full
			full := tile
			full.W = 1 << height
			data, err = os.ReadFile(filepath.Join(t.dir, strings.Replace(full.Path(), "tile/8/", "tile/", 1)))
		}
		if err != nil {
			return nil, err
		}
		if len(data) < tile.W*tlog.HashSize {
			return nil, fmt.Errorf("%s: too short", path)
		}
		t.read++
		all = append(all, data[:tile.W*tlog.HashSize])
	}
	return all, nil
}

func (t *tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// The entries of a bundle: two bytes of length before each.
func entries(dir string, n, width int64) [][]byte {
	tile := tlog.Tile{H: height, L: -1, N: n, W: int(width)}
	path := strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1)
	data := must(os.ReadFile(filepath.Join(dir, path)))
	var all [][]byte
	for len(data) > 0 {
		size := int(binary.BigEndian.Uint16(data))
		all = append(all, data[2:2+size])
		data = data[2+size:]
	}
	if int64(len(all)) != width {
		fail("%s has %d entries, not %d", path, len(all), width)
	}
	return all
}

func checkLedger(dir, vkey string) {
	tree := open(must(os.ReadFile(filepath.Join(dir, "checkpoint"))), vkey)
	source := &tiles{dir: dir}
	reader := tlog.TileHashReader(tree, source) // checks each tile against the root
	if root := must(tlog.TreeHash(tree.N, reader)); root != tree.Hash {
		fail("the tiles have another root")
	}
	for first := int64(0); first < tree.N; first += 1 << height {
		width := min(tree.N-first, 1<<height)
		for i, entry := range entries(dir, first>>height, width) {
			index := first + int64(i)
			hash := tlog.RecordHash(entry)
			proof := must(tlog.ProveRecord(tree.N, index, reader))
			if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, hash); err != nil {
				fail("entry %d: %v", index, err)
			}
		}
	}
	fmt.Printf("%d entries, root %s, %d tiles read\n", tree.N, tree.Hash, source.read)
}

func checkProof(vkey, file, entry string) {
	text := must(os.ReadFile(file))
	head, checkpoint, ok := bytes.Cut(text, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if !ok || lines[0] != "c2sp.org/tlog-proof@v1" {
		fail("%s: not a proof", file)
	}
	lines = lines[1:]
	if strings.HasPrefix(lines[0], "extra ") {
		lines = lines[1:]
	}
	index := must(strconv.ParseInt(strings.TrimPrefix(lines[0], "index "), 10, 64))
	var proof tlog.RecordProof
	for _, line := range lines[1:] {
		var h tlog.Hash
		copy(h[:], must(base64.StdEncoding.DecodeString(line)))
		proof = append(proof, h)
	}
	tree := open(checkpoint, vkey)
	hash := tlog.RecordHash(must(os.ReadFile(entry)))
	if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, hash); err != nil {
		fail("%s: %v", file, err)
	}
	fmt.Printf("entry %d of %d\n", index, tree.N)
}

func checkConsistency(dir, vkey, old string) {
	tree := open(must(os.ReadFile(filepath.Join(dir, "checkpoint"))), vkey)
	before := open(must(os.ReadFile(old)), vkey)
	if before.N == 0 {
		fmt.Println("from 0: anything")
		return
	}
	reader := tlog.TileHashReader(tree, &tiles{dir: dir})
	proof := must(tlog.ProveTree(tree.N, before.N, reader))
	if err := tlog.CheckTree(proof, tree.N, tree.Hash, before.N, before.Hash); err != nil {
		fail("%s: %v", old, err)
	}
	fmt.Printf("%d is the beginning of %d\n", before.N, tree.N)
}

func main() {
	args := os.Args[1:]
	switch {
	case len(args) == 3 && args[0] == "ledger":
		checkLedger(args[1], args[2])
	case len(args) == 4 && args[0] == "proof":
		checkProof(args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "consistency":
		checkConsistency(args[1], args[2], args[3])
	default:
		fail("usage: sumdb ledger DIR VKEY | proof VKEY PROOF ENTRY | consistency DIR VKEY OLD")
	}
}
