# The formula of Homebrew for gbac @VERSION@.
class Gbac < Formula
  desc "Group-based access control for streaming platforms: test and explain who can do what"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "Apache-2.0"

@TARGETS@

  def install
    bin.install "gbac"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/bash/gbac"
    zsh_completion.install "completions/zsh/_gbac"
    fish_completion.install "completions/fish/gbac.fish"
  end

  service do
    run [opt_bin/"gbac", "serve", "--data", var/"gbac"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/gbac --version")
  end
end
