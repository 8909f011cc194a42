/* The table, and how a name is found in it. */
#include "capture/shell_names.h"

#include <string.h>

#define SHELL(n) { n, true, false }
#define PLAIN(n) { n, false, false }
#define SEEKS(n) { n, false, true }

/* No editors, pagers or terminals, and nothing that changes who one is. */
const struct shell_name shell_names[] = {
	SHELL("sh"), SHELL("bash"), SHELL("zsh"), SHELL("dash"), SHELL("fish"), SHELL("ksh"), SHELL("mksh"),
	SHELL("ash"), SHELL("pwsh"), SHELL("nu"),
	SEEKS("python"), SEEKS("python2"), SEEKS("python3"), SEEKS("python3.8"), SEEKS("python3.9"),
	SEEKS("python3.10"), SEEKS("python3.11"), SEEKS("python3.12"), SEEKS("python3.13"), SEEKS("python3.14"),
	SEEKS("pypy"), SEEKS("pypy3"), SEEKS("gcc"), SEEKS("g++"), SEEKS("cc"), SEEKS("c++"), SEEKS("cpp"),
	PLAIN("pip"), PLAIN("pip3"), PLAIN("pipx"), PLAIN("uv"), PLAIN("uvx"), PLAIN("poetry"), PLAIN("conda"),
	PLAIN("pytest"), PLAIN("tox"), PLAIN("nox"), PLAIN("ruff"), PLAIN("black"), PLAIN("mypy"), PLAIN("pyright"),
	PLAIN("pre-commit"), PLAIN("jupyter"),
	PLAIN("node"), PLAIN("npm"), PLAIN("npx"), PLAIN("yarn"), PLAIN("pnpm"), PLAIN("pnpx"), PLAIN("bun"),
	PLAIN("bunx"), PLAIN("deno"), PLAIN("tsc"), PLAIN("tsx"), PLAIN("eslint"), PLAIN("prettier"), PLAIN("jest"),
	PLAIN("vitest"), PLAIN("playwright"),
	PLAIN("cargo"), PLAIN("rustc"), PLAIN("go"), PLAIN("gofmt"), PLAIN("java"), PLAIN("javac"), PLAIN("mvn"),
	PLAIN("gradle"), PLAIN("kotlinc"), PLAIN("dotnet"), PLAIN("ruby"), PLAIN("bundle"), PLAIN("gem"),
	PLAIN("rake"), PLAIN("rspec"), PLAIN("perl"), PLAIN("php"), PLAIN("composer"), PLAIN("swift"), PLAIN("zig"),
	PLAIN("elixir"), PLAIN("mix"), PLAIN("ghc"), PLAIN("stack"), PLAIN("cabal"), PLAIN("Rscript"), PLAIN("julia"),
	PLAIN("make"), PLAIN("cmake"), PLAIN("ninja"), PLAIN("meson"), PLAIN("bazel"), PLAIN("clang"),
	PLAIN("clang++"), PLAIN("just"),
	PLAIN("git"), PLAIN("gh"), PLAIN("glab"), PLAIN("hg"), PLAIN("svn"), PLAIN("jj"),
	PLAIN("rg"), PLAIN("grep"), PLAIN("egrep"), PLAIN("fgrep"), PLAIN("ag"), PLAIN("fd"), PLAIN("find"),
	PLAIN("ls"), PLAIN("tree"), PLAIN("cat"), PLAIN("head"), PLAIN("tail"), PLAIN("wc"), PLAIN("sort"),
	PLAIN("uniq"), PLAIN("cut"), PLAIN("tr"), PLAIN("sed"), PLAIN("awk"), PLAIN("gawk"), PLAIN("jq"),
	PLAIN("yq"), PLAIN("xargs"), PLAIN("diff"), PLAIN("patch"), PLAIN("cp"), PLAIN("mv"), PLAIN("rm"),
	PLAIN("mkdir"), PLAIN("touch"), PLAIN("chmod"), PLAIN("ln"), PLAIN("stat"), PLAIN("du"), PLAIN("df"),
	PLAIN("file"), PLAIN("sleep"), PLAIN("timeout"), PLAIN("tar"), PLAIN("gzip"), PLAIN("gunzip"), PLAIN("unzip"),
	PLAIN("zip"), PLAIN("base64"), PLAIN("sha256sum"), PLAIN("ps"), PLAIN("uname"), PLAIN("date"),
	PLAIN("tee"), PLAIN("seq"),
	PLAIN("curl"), PLAIN("wget"), PLAIN("ssh"), PLAIN("scp"), PLAIN("rsync"),
	PLAIN("docker"), PLAIN("docker-compose"), PLAIN("podman"), PLAIN("kubectl"), PLAIN("helm"),
	PLAIN("terraform"), PLAIN("ansible"), PLAIN("aws"), PLAIN("gcloud"), PLAIN("az"),
	PLAIN("psql"), PLAIN("sqlite3"), PLAIN("mysql"), PLAIN("redis-cli"), PLAIN("mongosh"), PLAIN("duckdb"),
	PLAIN("ffmpeg"), PLAIN("convert"), PLAIN("pandoc"), PLAIN("pdftotext"),
	{ NULL, false, false },
};

const struct shell_name *shell_name_find(const char *name)
{
	for (const struct shell_name *n = shell_names; n->name; n++)
		if (strcmp(n->name, name) == 0)
			return n;
	return NULL;
}
