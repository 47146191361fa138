import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { completionScript } from "../../src/cli/completion.ts";
import { program } from "../../src/cli.ts";

it("completions for bash offer commands, options and tools", async () => {
  const script = await completionScript("bash", program());
  const offered = (...words: string[]) => {
    const typed = words.map((word) => `"${word}"`).join(" ");
    const ask = `${script}\nCOMP_WORDS=(svc ${typed}); COMP_CWORD=${words.length}; _svc; echo "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", ask], { encoding: "utf8" }).stdout.trim().split(" ");
  };
  expect(offered("ev")).toEqual(["evaluate"]);
  expect(offered("compare", "--ju")).toEqual(["--junit"]);
  expect(offered("call", "whoa")).toEqual(["whoami"]);
  expect(offered("completion", "z")).toEqual(["zsh"]);
});
