import { createServer } from "node:net";

// Runs for a moment in a network of its own, which has nothing but loopback: listens there and hands the sockets to the
// launcher, by which the network goes on without this process.
const wanted = (process.argv[2] ?? "").split(",").map(Number);

for (const port of wanted) {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const at = typeof address === "object" && address !== null ? address.port : 0;
  await new Promise<void>((resolve) => process.send?.({ port: at, pid: process.pid }, server, () => resolve()));
}
// The launcher opens the network by this process's id before it lets it go.
process.once("message", () => process.exit(0));
process.once("disconnect", () => process.exit(0));
