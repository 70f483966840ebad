package clients

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"gbac.test/clients/generate"
)

// The generated code is what the messages of the service give. GBAC_WRITE_CLIENTS=1 writes it.
func TestGeneratedCodeIsCurrent(t *testing.T) {
	files, err := generate.Files("../../../server/proto/descriptors.binpb")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("GBAC_WRITE_CLIENTS") != "" {
		write(t, files)
	}
	err = filepath.WalkDir("gen", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		written, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel("gen", path)
		if files[filepath.ToSlash(name)] != string(written) {
			t.Errorf("%s is not what server/proto gives; run this test with GBAC_WRITE_CLIENTS=1", path)
		}
		delete(files, filepath.ToSlash(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range files {
		t.Errorf("gen/%s is missing; run this test with GBAC_WRITE_CLIENTS=1", name)
	}
}

func write(t *testing.T, files map[string]string) {
	if err := os.RemoveAll("gen"); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join("gen", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
