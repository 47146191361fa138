import { openStore } from "../../store/open.ts";

/** Removes an org and scrubs; the parent kills it somewhere on the way. */
const [path = ""] = process.argv.slice(2);
const store = await openStore({ path });
process.stdout.write("open\n");
await store.removal.begin("org_gone", 1, "child");
process.stdout.write("begun\n");
await store.removal.finish("org_gone", 2);
process.stdout.write("finished\n");
await store.removal.vacuum();
process.stdout.write("scrubbed\n");
await store.close();
