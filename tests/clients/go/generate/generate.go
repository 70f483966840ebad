// Package generate makes the clients in gen from the compiled messages of the service, with the plugins of protoc and without
// protoc itself.
package generate

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// Module is the path of the packages of the generated code.
const Module = "gbac.test/clients/gen/"

var plugins = []string{"protoc-gen-go", "protoc-gen-go-grpc", "protoc-gen-connect-go"}

// Files returns the generated files by their paths below gen.
func Files(descriptors string) (map[string]string, error) {
	compiled, err := os.ReadFile(descriptors)
	if err != nil {
		return nil, err
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(compiled, &set); err != nil {
		return nil, err
	}
	request := pluginpb.CodeGeneratorRequest{ProtoFile: set.File}
	// The messages of Google are those of Google's modules.
	const google = "Mgoogle/rpc/status.proto=google.golang.org/genproto/googleapis/rpc/status"
	parameters := []string{"paths=source_relative", google}
	for _, file := range set.File {
		if folder := folderOf(file.GetName()); strings.HasPrefix(folder, "redpanda/") {
			request.FileToGenerate = append(request.FileToGenerate, file.GetName())
			parts := strings.Split(folder, "/")
			name := strings.Join(parts[len(parts)-2:], "")
			parameters = append(parameters, "M"+file.GetName()+"="+Module+folder+";"+name)
		}
	}
	parameter := strings.Join(parameters, ",")
	request.Parameter = &parameter
	input, err := proto.Marshal(&request)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, plugin := range plugins {
		generated, err := run(plugin, input)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", plugin, err)
		}
		for _, file := range generated {
			files[file.GetName()] = file.GetContent()
		}
	}
	return files, nil
}

func folderOf(file string) string {
	return file[:strings.LastIndex(file, "/")]
}

// run calls a plugin that go.mod names as a tool.
func run(plugin string, input []byte) ([]*pluginpb.CodeGeneratorResponse_File, error) {
	command := exec.Command("go", "tool", plugin)
	command.Stdin = bytes.NewReader(input)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(output, &response); err != nil {
		return nil, err
	}
	if response.Error != nil {
		return nil, fmt.Errorf("%s", response.GetError())
	}
	return response.File, nil
}
