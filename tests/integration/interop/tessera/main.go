// A ledger, its proofs and its witness checked by the libraries of transparency-dev: tessera, formats, merkle.
//
//	tessera fsck DIR VKEY                          tessera's own check of a whole log
//	tessera proof VKEY FILE.tlog-proof FILE.entry  formats' reader of proofs
//	tessera cosigned CHECKPOINT VKEY WITNESS_VKEY  formats' check of a cosignature; prints its time
//	tessera policy CHECKPOINT VKEY POLICY          whether a policy is satisfied
//	tessera log DIR SKEY POLICY FIRST COUNT        a log that tessera writes, and has cosigned by the policy's witnesses
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/transparency-dev/formats/log"
	f_note "github.com/transparency-dev/formats/note"
	f_proof "github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/formats/witness"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"
	"k8s.io/klog/v2"
)

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

func verifier(vkey string) note.Verifier {
	return must(note.NewVerifier(strings.TrimSpace(vkey)))
}

// The leaf hashes of a bundle.
func hashBundle(data []byte) ([][]byte, error) {
	bundle := &api.EntryBundle{}
	if err := bundle.UnmarshalText(data); err != nil {
		return nil, err
	}
	var all [][]byte
	for _, entry := range bundle.Entries {
		all = append(all, rfc6962.DefaultHasher.HashLeaf(entry))
	}
	return all, nil
}

func checkLog(dir, vkey string) {
	v := verifier(vkey)
	f := fsck.New(v.Name(), v, client.FileFetcher{Root: dir}, hashBundle, fsck.Opts{N: 2})
	if err := f.Check(context.Background()); err != nil {
		fail("%v", err)
	}
	text := must(os.ReadFile(filepath.Join(dir, "checkpoint")))
	cp, _, _, err := log.ParseCheckpoint(text, v.Name(), v)
	if err != nil {
		fail("%v", err)
	}
	fmt.Printf("%d entries\n", cp.Size)
}

func checkProof(vkey, file, entry string) {
	var p f_proof.TLogProof
	if err := p.Unmarshal(must(os.ReadFile(file))); err != nil {
		fail("%v", err)
	}
	v := verifier(vkey)
	cp, _, _, err := log.ParseCheckpoint(p.Checkpoint, v.Name(), v)
	if err != nil {
		fail("%v", err)
	}
	var hashes [][]byte
	for _, h := range p.Hashes {
		hashes = append(hashes, h[:])
	}
	leaf := rfc6962.DefaultHasher.HashLeaf(must(os.ReadFile(entry)))
	if err := proof.VerifyInclusion(rfc6962.DefaultHasher, p.Index, cp.Size, leaf, hashes, cp.Hash); err != nil {
		fail("%v", err)
	}
	fmt.Printf("entry %d of %d\n", p.Index, cp.Size)
}

func checkCosignature(checkpoint, vkey, witnessKey string) {
	v := verifier(vkey)
	w := must(f_note.NewVerifierForCosignatureV1(strings.TrimSpace(witnessKey)))
	_, _, n, err := log.ParseCheckpoint(must(os.ReadFile(checkpoint)), v.Name(), v, w)
	if err != nil {
		fail("%v", err)
	}
	for _, sig := range n.Sigs {
		if sig.Name == w.Name() && sig.Hash == w.KeyHash() {
			fmt.Printf("cosigned at %d\n", must(f_note.CoSigV1Timestamp(sig)).Unix())
			return
		}
	}
	fail("no cosignature of %s", w.Name())
}

func checkPolicy(checkpoint, vkey, policy string) {
	_ = verifier(vkey)
	group := must(witness.ParsePolicy(must(os.ReadFile(policy))))
	if !group.Satisfied(must(os.ReadFile(checkpoint))) {
		fail("the policy is not satisfied")
	}
	fmt.Println("the policy is satisfied")
}

// Appends entries to a log of tessera's, whose checkpoint is published only with the cosignatures of the policy.
func writeLog(dir, skey, policy string, first, count int) {
	ctx := context.Background()
	signer := must(note.NewSigner(strings.TrimSpace(string(must(os.ReadFile(skey))))))
	driver := must(posix.New(ctx, posix.Config{Path: dir}))
	witnesses := must(tessera.NewWitnessGroupFromPolicy(must(os.ReadFile(policy))))
	opts := tessera.NewAppendOptions().
		WithCheckpointSigner(signer).
		WithBatching(uint(count), 100*time.Millisecond).
		WithCheckpointInterval(200*time.Millisecond).
		WithWitnesses(witnesses, &tessera.WitnessOptions{Timeout: 10 * time.Second})
	appender, shutdown, reader, err := tessera.NewAppender(ctx, driver, opts)
	if err != nil {
		fail("%v", err)
	}
	waiter := tessera.NewPublicationAwaiter(ctx, reader.ReadCheckpoint, 100*time.Millisecond)
	var last tessera.IndexFuture
	for i := range count {
		last = appender.Add(ctx, tessera.NewEntry(fmt.Appendf(nil, "entry %d", first+i)))
	}
	waiting, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	_, text, err := waiter.Await(waiting, last)
	if err != nil {
		fail("%v", err)
	}
	if err := shutdown(ctx); err != nil {
		fail("%v", err)
	}
	os.Stdout.Write(text)
}

func main() {
	quiet := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(quiet)
	quiet.Set("logtostderr", "false")
	quiet.Set("alsologtostderr", "false")
	quiet.Set("stderrthreshold", "FATAL")
	klog.SetOutput(io.Discard)
	args := os.Args[1:]
	switch {
	case len(args) == 3 && args[0] == "fsck":
		checkLog(args[1], args[2])
	case len(args) == 4 && args[0] == "proof":
		checkProof(args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "cosigned":
		checkCosignature(args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "policy":
		checkPolicy(args[1], args[2], args[3])
	case len(args) == 6 && args[0] == "log":
		writeLog(args[1], args[2], args[3], must(strconv.Atoi(args[4])), must(strconv.Atoi(args[5])))
	default:
		fail("usage: tessera fsck DIR VKEY | proof VKEY PROOF ENTRY | cosigned CHECKPOINT VKEY WITNESS | " +
			"policy CHECKPOINT VKEY POLICY | log DIR SKEY POLICY FIRST COUNT")
	}
}
