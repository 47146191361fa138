import pg from "pg";

/** How long a connection may be in use before it is asked whether the database is there at all. */
const QUIET_MS = 5_000;

/**
 * Ends the connections in use, each with an error, once no new one can be made: where a link breaks in silence, TCP
 * tells nobody for a quarter of an hour. A long statement goes on, since the database then takes new connections.
 */
export function endSilent(pool: pg.Pool): void {
  const inUse = new Map<pg.PoolClient, number>();
  let asking = false;
  pool.on("acquire", (client) => inUse.set(client, performance.now()));
  pool.on("release", (_error, client) => inUse.delete(client));
  pool.on("remove", (client) => inUse.delete(client));
  const look = async () => {
    if (pool.ended) return clearInterval(timer);
    const asked = performance.now();
    const quiet = () => [...inUse].filter(([, since]) => asked - since >= QUIET_MS).map(([client]) => client);
    if (asking || quiet().length === 0) return;
    asking = true;
    if (!(await answers(pool.options))) for (const client of quiet()) void client.end();
    asking = false;
  };
  const timer = setInterval(look, QUIET_MS / 2).unref();
}

/** Whether the database answers a new connection, a refusal too, in the time that any new one has. */
async function answers(options: pg.PoolConfig): Promise<boolean> {
  const client = new pg.Client(options);
  client.on("error", () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    return error instanceof pg.DatabaseError;
  } finally {
    void client.end().catch(() => undefined);
  }
}
