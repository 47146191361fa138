import { execFileSync, spawn } from "node:child_process";
import { connect, createServer } from "node:net";

// Runs inside a trial's own network, which has nothing but loopback: ports there lead to sockets that the launcher holds,
// and the agent is started beside them with this process's input and output.
const [ways = "[]", file = "", ...args] = process.argv.slice(2);

execFileSync("ip", ["link", "set", "lo", "up"]);
for (const { port, socket } of JSON.parse(ways) as { readonly port: number; readonly socket: string }[]) {
  const server = createServer((client) => {
    const upstream = connect(socket);
    client.pipe(upstream).pipe(client);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
}

const agent = spawn(file, args, { stdio: "inherit" });
// What a shell exits with when there is no such command.
agent.once("error", () => process.exit(127));
agent.once("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  // It ends as its agent did, so that whoever looks at it sees the agent's end.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => agent.kill(signal));
