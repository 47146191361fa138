import { expect, test } from "vitest";
import { repository } from "../../../../bench/services/aside/repository.ts";
import { start } from "../kit.ts";

/** A task whose working tree is clean at first. */
function clean() {
  for (let i = 0; ; i++) {
    const world = start(repository, `task ${i}`);
    if (String(world.ask("git_status")).includes("clean")) return world;
  }
}

test("an edit is shown, staged and committed", () => {
  const { ask, refusal } = clean();
  const edit = { path: "config.yml", old: "rounding: 2", new: "rounding: 4" };
  const diff = [
    "diff --git a/config.yml b/config.yml",
    "--- a/config.yml",
    "+++ b/config.yml",
    "@@ -1,3 +1,3 @@",
    " currency: EUR",
    " locale: de",
    "-rounding: 2",
    "+rounding: 4",
  ].join("\n");
  expect(ask("replace_text", edit)).toBe(diff);
  expect(ask("git_diff")).toBe(diff);
  expect(refusal("git_commit", { message: "Round" })).toContain("no changes added to commit");
  ask("git_add", { files: ["config.yml"] });
  expect(ask("git_diff")).toBe("No changes");
  expect(ask("git_commit", { message: "Round" })).toMatch(
    /^\[main \w{7}\] Round\n 1 file changed, 1 insertion\(\+\), 1 deletion\(-\)$/,
  );
  expect(ask("git_show", { revision: "HEAD" })).toContain(diff);
});

test("a branch is merged by moving forward, by a commit, or not at all", () => {
  const { ask } = clean();
  expect(ask("git_merge", { branch: "fix-sum" })).toContain("Fast-forward");
  expect(ask("git_merge", { branch: "fix-sum" })).toBe("Already up to date.");
  const other = clean();
  other.ask("write_file", { path: "a.txt", content: "A\n" });
  other.ask("git_add", { files: ["."] });
  other.ask("git_commit", { message: "Add a" });
  expect(other.ask("git_merge", { branch: "fix-sum" })).toContain("'ort' strategy");
  expect(other.ask("read_file", { path: "src/add.js" })).toContain("Number(row)");
  const third = clean();
  third.ask("delete_file", { path: "src/add.js" });
  third.ask("git_add", { files: ["src/add.js"] });
  third.ask("git_commit", { message: "Drop the sum" });
  expect(third.refusal("git_merge", { branch: "fix-sum" })).toContain("Merge conflict in src/add.js");
});

test("a checkout keeps local changes, and refuses where it would lose them", () => {
  const { ask, refusal } = clean();
  ask("write_file", { path: "notes.txt", content: "Note\n" });
  ask("git_checkout", { branch: "fix-sum" });
  expect(ask("list_files")).toContain("notes.txt");
  ask("replace_text", { path: "src/add.js", old: "sum = 0", new: "sum = 1" });
  expect(refusal("git_checkout", { branch: "main" })).toContain("overwritten by checkout:\n\tsrc/add.js");
});
