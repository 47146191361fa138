import { openStore } from "../../store/open.ts";

/** Renames an org without end and prints each tag that was answered as done; the parent kills it. */
const [path = ""] = process.argv.slice(2);
const store = await openStore({ path });
await store.createOrg({ id: "org_moves", tag: "tag-0", created_at: 1 });
for (let n = 1; ; n++) {
  const to = `tag-${n}`;
  if (await store.renameOrg("org_moves", to, { at: n, by: "child", act: "org_renamed", fields: { to } }))
    process.stdout.write(`${n}\n`);
}
