class Rollstamp < Formula
  desc "Restart exactly the Kubernetes workloads whose configuration changed"
  homepage "{{ .Homepage }}"
  version "{{ .Release.Version }}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{{ .By.darwin_arm64.URL }}"
      sha256 "{{ .By.darwin_arm64.SHA256 }}"
    end
    on_intel do
      url "{{ .By.darwin_amd64.URL }}"
      sha256 "{{ .By.darwin_amd64.SHA256 }}"
    end
  end

  on_linux do
    on_arm do
      url "{{ .By.linux_arm64.URL }}"
      sha256 "{{ .By.linux_arm64.SHA256 }}"
    end
    on_intel do
      url "{{ .By.linux_amd64.URL }}"
      sha256 "{{ .By.linux_amd64.SHA256 }}"
    end
  end

  def install
    bin.install "rollstamp", "rollstamp-stores", "rollstamp-helm4"
    bin.install_symlink "rollstamp" => "kubectl-rollstamp"
    bin.install "completions/kubectl_complete-rollstamp"
    bash_completion.install "completions/rollstamp.bash" => "rollstamp"
    zsh_completion.install "completions/_rollstamp"
    fish_completion.install "completions/rollstamp.fish"
    man1.install Dir["man/man1/*.1"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/rollstamp --version")
    (testpath/"app.yaml").write <<~YAML
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: settings}
    YAML
    assert_match "kind: ConfigMap", shell_output("#{bin}/rollstamp stamp app.yaml")
  end
end
