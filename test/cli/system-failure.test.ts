import { describe, expect, it } from "vitest";
import { systemFailure } from "../../src/cli/system-failure.ts";
import { publicError } from "../../src/http/public-error.ts";

const error = (code: string, fields = {}) => Object.assign(new Error(code), { code, ...fields });

// Finding S17.
describe("what a person is told of a failure of the machine", () => {
  it.each([
    [
      error("ENOSPC", { syscall: "write", path: "/out/evaluation.html" }),
      /disk is full "\/out\/evaluation\.html"\..*Free/,
    ],
    [error("SQLITE_FULL"), /disk is full\. Free/],
    [error("EACCES", { syscall: "mkdir", path: "/root/x" }), /may not write or read "\/root\/x"\. .*SVC_DATA_DIR/],
    [error("SQLITE_READONLY"), /read only\. SVC_DATA_DIR/],
    [error("SQLITE_NOTADB"), /damaged or no store.*backup.*svc restore.*SVC_DATA_DIR/],
    [error("SQLITE_CORRUPT_INDEX"), /damaged or no store/],
    [error("SQLITE_READONLY_DIRECTORY"), /read only/],
    [error("SQLITE_CANTOPEN_ISDIR"), /cannot be opened/],
    [error("SQLITE_IOERR_WRITE"), /disk does not work/],
    [error("EACCES", { syscall: "listen", address: "0.0.0.0", port: 80 }), /may not listen on 0\.0\.0\.0:80.*--port/],
    [error("EADDRNOTAVAIL", { syscall: "listen", address: "10.9.9.9", port: 80 }), /no address 10\.9\.9\.9:80.*--host/],
  ])("%s", (failure, told) => expect(systemFailure(failure)).toMatch(told));

  it("nothing of any other error", () => {
    for (const other of [new Error("x"), error("ERR_ASSERTION"), "x", undefined, { code: 7 }])
      expect(systemFailure(other)).toBeUndefined();
  });
});

it("a service whose disk is full says so, and that it may be asked again", () => {
  for (const code of ["ENOSPC", "SQLITE_FULL"]) {
    const { status, body } = publicError(error(code), "r1");
    expect({ status, error: body.error }).toEqual({ status: 503, error: "unavailable" });
    expect(body.reason).toMatch(/disk is full, and nothing of this was stored\. Free/);
  }
  expect(publicError(error("EOTHER"), "r1").status).toBe(500);
});
