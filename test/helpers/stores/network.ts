import { execFile } from "node:child_process";
import { type AddressInfo, createServer, type Socket, connect as toServer } from "node:net";
import { promisify } from "node:util";

const exec = promisify(execFile);

/** A machine's own network: what is started `within` it sees no other. */
export interface Machine {
  /** The words before a command that run it in the machine's network namespace. */
  readonly within: readonly string[];
  /** Where it is reached by this process. */
  readonly front: string;
  /** Where it is reached by the other machines, over links that can be cut. */
  readonly back: string;
}

/** Machines that are network namespaces: each with a link to this process, and one to a switch between them all. */
export interface Network {
  readonly machines: readonly Machine[];
  /** The address at which this process is at the switch. */
  readonly middle: string;
  /** Takes a machine's link to the switch away, in silence: what is sent over it is lost, and no end is told. */
  cut(machine: number): Promise<void>;
  join(machine: number): Promise<void>;
  close(): Promise<void>;
}

/** Makes `n` of them. Throws where this is not Linux, not root, or lacks iproute2. */
export async function startNetwork(n: number): Promise<Network> {
  const ip = (words: string) => exec("ip", words.split(" "));
  const mark = `p${process.pid}`;
  const names = Array.from({ length: n }, (_, i) => `${mark}m${i}`);
  const made: string[] = [];
  const close = async () => {
    for (const words of made.reverse()) await ip(words).catch(() => undefined);
  };
  const [bridge, subnet] = [`${mark}sw`, `10.${77 + (process.pid % 100)}`];
  try {
    await ip(`link add ${bridge} type bridge`);
    made.push(`link del ${bridge}`);
    await ip(`addr add ${subnet}.0.1/24 dev ${bridge}`);
    await ip(`link set ${bridge} up`);
    for (const [i, name] of names.entries()) {
      await ip(`netns add ${name}`);
      made.push(`netns del ${name}`);
      await ip(`-n ${name} link set lo up`);
      for (const [link, end] of [
        ["back", `${subnet}.0.${i + 2}/24`],
        ["front", `${subnet}.${i + 1}.2/24`],
      ] as const) {
        await ip(`link add ${name}${link[0]} type veth peer name ${link} netns ${name}`);
        await ip(`-n ${name} addr add ${end} dev ${link}`);
        await ip(`-n ${name} link set ${link} up`);
        await ip(`link set ${name}${link[0]} up`);
      }
      await ip(`link set ${name}b master ${bridge}`);
      await ip(`addr add ${subnet}.${i + 1}.1/24 dev ${name}f`);
    }
  } catch (error) {
    await close();
    const cause = error instanceof Error ? error.message : String(error);
    throw new Error(`networks of their own ask for Linux, the rights of root and iproute2: ${cause}`);
  }
  return {
    machines: names.map((name, i) => ({
      within: ["ip", "netns", "exec", name],
      front: `${subnet}.${i + 1}.2`,
      back: `${subnet}.0.${i + 2}`,
    })),
    middle: `${subnet}.0.1`,
    cut: async (machine) => void (await ip(`link set ${names[machine]}b nomaster`)),
    join: async (machine) => void (await ip(`link set ${names[machine]}b master ${bridge}`)),
    close,
  };
}

/** A link between a client and a server. */
export interface Relay {
  readonly port: number;
  /** Lets nothing pass, and tells nobody. */
  cut(): void;
  close(): void;
}

/** Passes every connection of `address` on to `to`, each piece `delayMs` later, there and back, in order. */
export async function startRelay(address: string, to: URL, delayMs: number): Promise<Relay> {
  const [port, host] = [Number(to.port), to.hostname];
  const open = new Set<Socket>();
  let silent = false;
  const later = (work: () => void) => setTimeout(() => silent || work(), delayMs);
  const server = createServer((near) => {
    const far = toServer(port, host);
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.setNoDelay(true);
      from.on("data", (bytes) => later(() => other.writable && other.write(bytes)));
      from.on("end", () => later(() => other.end()));
      from.on("error", () => undefined);
      from.on("close", () => {
        open.delete(from);
        later(() => other.destroySoon());
      });
    }
  });
  await new Promise<void>((ready) => server.listen(0, address, ready));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      silent = true;
    },
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
