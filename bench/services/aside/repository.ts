import { type Args, call, type InventedService, num, type Plan, Refusal, str, tool } from "../service.ts";
import { changed, diffOf, diffs, put, statistics, type Tree } from "./diff.ts";
import { ALL, CONFIG, HISTORY } from "./history.ts";

interface Commit {
  readonly hash: string;
  readonly message: string;
  readonly date: string;
  readonly parents: readonly string[];
  readonly tree: Tree;
}

const AUTHOR = "Robin Vale <robin@ledger.example>";

/** A version control server over one small repository, with the files that an agent edits: Git's own texts. */
export const repository: InventedService = {
  name: "repository",
  form: "openai",
  refusals: "text",
  tools: [
    tool("git_status", "Shows the working tree status."),
    tool("git_diff", "Shows changes of the working tree, or staged ones.", { staged: "boolean?" }),
    tool("git_add", "Stages files.", { files: "list" }),
    tool("git_reset", "Unstages all staged changes."),
    tool("git_commit", "Records staged changes.", { message: "string" }),
    tool("git_log", "Shows the commit log.", { max_count: "integer? 10 by default", branch: "string?" }),
    tool("git_show", "Shows a commit.", { revision: "string" }),
    tool("git_branch", "Lists branches."),
    tool("git_create_branch", "Creates a branch.", { name: "string", base: "string?" }),
    tool("git_checkout", "Switches branches.", { branch: "string" }),
    tool("git_merge", "Merges a branch into the current one.", { branch: "string" }),
    tool("list_files", "Lists the files of the working tree."),
    tool("read_file", "Reads a file.", { path: "string" }),
    tool("write_file", "Writes a file.", { path: "string", content: "string" }),
    tool("replace_text", "Replaces one piece of text in a file.", { path: "string", old: "string", new: "string" }),
    tool("delete_file", "Deletes a file.", { path: "string" }),
  ],
  start(task, session) {
    const commits = new Map<string, Commit>();
    const branches = new Map<string, string>();
    for (const [hash, message, date, branch, tree] of HISTORY) {
      const parent = branches.get(branch) ?? branches.get("main");
      commits.set(hash, { hash, message, date, parents: parent ? [parent] : [], tree });
      branches.set(branch, hash);
    }
    let current = "main";
    const headOf = (branch: string) => commits.get(branches.get(branch) as string) as Commit;
    let work: Tree = headOf(current).tree;
    const touched = task.pick([undefined, undefined, "config.yml", "notes.txt"]);
    if (touched === "config.yml") work = { ...work, "config.yml": CONFIG.replace("de", "en") };
    if (touched === "notes.txt") work = { ...work, "notes.txt": "Ask Robin about rounding.\n" };
    let index: Tree = headOf(current).tree;
    let clock = Date.UTC(2026, 0, 19, 8, session.between(0, 59), session.between(0, 59));
    const branchOf = (name: unknown) => {
      if (!branches.has(str(name)))
        throw new Refusal(`error: pathspec '${name}' did not match any branch known to git`);
      return str(name);
    };
    const fileOf = (path: unknown) => {
      const text = work[str(path)];
      if (text === undefined) throw new Refusal(`Error: ENOENT: no such file, open '${path}'`);
      return text;
    };
    const line = ([kind, path]: readonly [string, string]) => `\t${`${kind}:`.padEnd(12)}${path}`;
    const record = (message: string, parents: readonly string[], tree: Tree) => {
      clock += session.between(4, 90) * 1000;
      const date = new Date(clock).toISOString().slice(0, 19).replace("T", " ");
      const made = { hash: session.hex(7), message, date, parents, tree };
      commits.set(made.hash, made);
      branches.set(current, made.hash);
      return made;
    };
    /** Brings what differs between two trees into the index and the working tree. */
    const apply = (from: Tree, to: Tree) => {
      for (const [, path] of changed(from, to)) [index, work] = [put(index, path, to[path]), put(work, path, to[path])];
    };
    /** A commit and all before it, the newest first. */
    const ancestors = (hash: string): Commit[] => {
      const seen = new Set<string>();
      const visit = (at: string) => {
        if (seen.has(at)) return;
        seen.add(at);
        for (const parent of commits.get(at)?.parents ?? []) visit(parent);
      };
      visit(hash);
      return [...commits.values()].filter((one) => seen.has(one.hash)).reverse();
    };
    const logged = ({ hash, message, date }: Commit) =>
      `commit ${hash}\nAuthor: ${AUTHOR}\nDate:   ${date} +0000\n\n    ${message}`;
    const handlers = {
      git_status: () => {
        const staged = changed(headOf(current).tree, index);
        const all = changed(index, work);
        const edited = all.filter(([kind]) => kind !== "new file");
        const untracked = all.filter(([kind]) => kind === "new file");
        if (staged.length + all.length === 0) return `On branch ${current}\nnothing to commit, working tree clean`;
        return [
          `On branch ${current}`,
          ...(staged.length > 0 ? ["Changes to be committed:", ...staged.map(line)] : []),
          ...(edited.length > 0 ? ["Changes not staged for commit:", ...edited.map(line)] : []),
          ...(untracked.length > 0 ? ["Untracked files:", ...untracked.map(([, path]) => `\t${path}`)] : []),
        ].join("\n");
      },
      git_diff: ({ staged }: Args) => {
        const tracked = Object.fromEntries(Object.entries(work).filter(([path]) => index[path] !== undefined));
        return (staged === true ? diffs(headOf(current).tree, index) : diffs(index, tracked)) || "No changes";
      },
      git_add: ({ files }: Args) => {
        const paths = (Array.isArray(files) ? files : [files]).map(String);
        for (const path of paths.includes(".") ? changed(index, work).map(([, path]) => path) : paths) {
          const text = work[path];
          if (text === undefined && index[path] === undefined)
            throw new Refusal(`fatal: pathspec '${path}' did not match any files`);
          index = put(index, path, text);
        }
        return "Files staged successfully";
      },
      git_reset: () => {
        index = headOf(current).tree;
        return "All staged changes reset";
      },
      git_commit: ({ message }: Args) => {
        const head = headOf(current);
        if (str(message).trim() === "") throw new Refusal("Aborting commit due to empty commit message.");
        if (changed(head.tree, index).length === 0)
          throw new Refusal(`On branch ${current}\nno changes added to commit`);
        const { hash } = record(str(message), [head.hash], index);
        return `[${current} ${hash}] ${message}\n${statistics(head.tree, index)}`;
      },
      git_log: ({ max_count, branch }: Args) =>
        ancestors(branches.get(branchOf(branch ?? current)) as string)
          .slice(0, num(max_count, 10))
          .map(logged)
          .join("\n\n"),
      git_show: ({ revision }: Args) => {
        const found = commits.get(
          revision === "HEAD" ? headOf(current).hash : (branches.get(str(revision)) ?? str(revision)),
        );
        if (!found) throw new Refusal(`fatal: ambiguous argument '${revision}': unknown revision`);
        return `${logged(found)}\n\n${diffs(commits.get(str(found.parents[0]))?.tree ?? {}, found.tree)}`;
      },
      git_branch: () =>
        [...branches.keys()]
          .sort()
          .map((name) => `${name === current ? "*" : " "} ${name}`)
          .join("\n"),
      git_create_branch: ({ name, base }: Args) => {
        const from = branchOf(base ?? current);
        if (branches.has(str(name))) throw new Refusal(`fatal: a branch named '${name}' already exists`);
        if (!/^[\w./-]+$/.test(str(name))) throw new Refusal(`fatal: '${name}' is not a valid branch name`);
        branches.set(str(name), branches.get(from) as string);
        return `Created branch '${name}' from '${from}'`;
      },
      git_checkout: ({ branch }: Args) => {
        const name = branchOf(branch);
        if (name === current) return `Already on '${name}'`;
        const [from, to] = [headOf(current).tree, headOf(name).tree];
        const local = [...changed(from, index), ...changed(index, work)].map(([, path]) => path);
        const lost = local.find((path) => from[path] !== to[path]);
        if (lost !== undefined)
          throw new Refusal(
            `error: Your local changes to the following files would be overwritten by checkout:\n\t${lost}\nAborting`,
          );
        apply(from, to);
        current = name;
        return `Switched to branch '${name}'`;
      },
      git_merge: ({ branch }: Args) => {
        const [ours, theirs] = [headOf(current), headOf(branchOf(branch))];
        const local = [...changed(ours.tree, index), ...changed(index, work)].filter(([kind]) => kind !== "new file");
        if (local.length > 0)
          throw new Refusal("error: Your local changes would be overwritten by merge. Commit them first.");
        const before = ancestors(ours.hash);
        if (before.includes(theirs)) return "Already up to date.";
        const base = ancestors(theirs.hash).find((one) => before.includes(one)) as Commit;
        const conflict = changed(base.tree, theirs.tree).find(
          ([, path]) => ![base.tree[path], theirs.tree[path]].includes(ours.tree[path]),
        );
        if (conflict)
          throw new Refusal(
            `CONFLICT (content): Merge conflict in ${conflict[1]}\nAutomatic merge failed; the merge was aborted.`,
          );
        const forward = base === ours;
        apply(base.tree, theirs.tree);
        if (forward) branches.set(current, theirs.hash);
        else record(`Merge branch '${branch}' into ${current}`, [ours.hash, theirs.hash], index);
        const how = forward
          ? `Updating ${ours.hash}..${theirs.hash}\nFast-forward`
          : "Merge made by the 'ort' strategy.";
        return `${how}\n${statistics(ours.tree, index)}`;
      },
      list_files: () => Object.keys(work).sort().join("\n"),
      read_file: ({ path }: Args) => fileOf(path),
      write_file: ({ path, content }: Args) => {
        work = put(work, str(path), str(content));
        return `Successfully wrote to ${path}`;
      },
      replace_text: ({ path, old, new: text }: Args) => {
        const before = fileOf(path);
        if (!before.includes(str(old))) throw new Refusal(`Error: Could not find the text in ${path}`);
        work = { ...work, [str(path)]: before.replace(str(old), () => str(text)) };
        return diffOf(str(path), before, work[str(path)]);
      },
      delete_file: ({ path }: Args) => {
        fileOf(path);
        work = put(work, str(path), undefined);
        return `Deleted ${path}`;
      },
    };
    const branch = task.pick(["feature/totals", "docs", "locale", "wip"]);
    const message = task.pick(["Update the settings", "Explain the use", "Round sums", "Tidy up"]);
    const edits = [
      { path: "config.yml", old: "rounding: 2", new: "rounding: 4" },
      { path: "config.yml", old: "currency: EUR", new: "currency: CHF" },
      { path: "README.md", old: "Run `ledger add`.", new: "Run `ledger add FILE`." },
      { path: "src/add.js", old: "let sum = 0;", new: "let sum = 0.0;" },
      { path: "src/main.js", old: "return add(args);", new: "return add(args.slice(1));" },
    ];
    const edit = task.pick(edits);
    const path = task.pick(["CHANGELOG.md", "src/round.js", ".gitignore"]);
    const content = path.endsWith("js") ? "export const round = (n) => Math.round(n);\n" : `${message}\n`;
    const revision = task.pick(["HEAD", "a07be52", "fix-sum", "58d2f0c"]);
    const kind = task.between(0, 6);
    const change = `replace \`${edit.old}\` in ${edit.path} by \`${edit.new}\``;
    const wishes = [
      `On a new branch ${branch}, ${change}, and commit it as "${message}".`,
      `Merge fix-sum into main and show me the history.`,
      `Add a file ${path} with the text ${JSON.stringify(content)} and commit all that is open as "${message}".`,
      `What changed in ${revision}? Then ${change}; stage it, but do not commit.`,
      `Please ${change} on main and commit it as "${message}". Then bring in fix-sum.`,
      `Delete ${edit.path} on branch ${branch}, commit it as "${message}", and go back to main.`,
      `I staged too much: unstage everything, then commit only ${edit.path} after you ${change}. Message: "${message}".`,
    ];
    function* plan(): Plan {
      yield call("git_status");
      if (kind === 0 || kind === 5) {
        yield call("git_create_branch", { name: branch, base: task.pick([undefined, "main"]) });
        yield call("git_checkout", { branch });
        if (kind === 0) yield call("read_file", { path: edit.path });
        yield kind === 0 ? call("replace_text", edit) : call("delete_file", { path: edit.path });
        yield call("git_add", { files: [edit.path] });
        yield call("git_commit", { message });
        if (kind === 5) yield call("git_checkout", { branch: "main" });
        yield kind === 0 ? call("git_log", { max_count: 2 }) : call("list_files");
        yield call("git_branch");
      } else if (kind === 1) {
        yield call("git_branch");
        yield call("git_log", { branch: "fix-sum", max_count: 3 });
        const merged = str(yield call("git_merge", { branch: "fix-sum" }));
        if (merged.startsWith("error")) {
          yield call("git_add", { files: ["."] });
          yield call("git_commit", { message });
          yield call("git_merge", { branch: "fix-sum" });
        }
        yield call("git_log");
        yield call("read_file", { path: "src/add.js" });
      } else if (kind === 2) {
        yield call("list_files");
        yield call("write_file", { path, content });
        yield call("git_add", { files: ["."] });
        yield call("git_diff", { staged: true });
        yield call("git_commit", { message });
        yield call("git_show", { revision: "HEAD" });
        yield call("git_status");
      } else if (kind === 3) {
        yield call("git_show", { revision });
        yield call("replace_text", edit);
        yield call("git_diff");
        yield call("git_add", { files: [edit.path] });
        yield call("git_diff", { staged: true });
        yield call("git_status");
      } else {
        if (kind === 6) yield call("git_add", { files: ["."] });
        if (kind === 6) yield call("git_reset");
        yield call("read_file", { path: edit.path });
        yield call("replace_text", edit);
        yield call("git_add", { files: [edit.path] });
        yield call("git_commit", { message });
        if (kind === 4) yield call("git_merge", { branch: "fix-sum" });
        yield call("git_log", { max_count: task.pick([undefined, 3]) });
        yield call("git_status");
      }
    }
    return {
      request: wishes[kind] as string,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("git_status"),
          call("git_diff", { staged: random.pick([undefined, true]) }),
          call("git_log", { max_count: random.pick([undefined, 1, 2]) }),
          call("git_show", { revision: random.pick(["HEAD", "main", "a07be52", "deadbee"]) }),
          call("read_file", { path: random.pick([...Object.keys(ALL), "src/index.js"]) }),
          call("list_files"),
          call("git_checkout", { branch: random.pick(["main", "master", branch]) }),
        ]),
    };
  },
};
