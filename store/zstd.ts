import * as zlib from "node:zlib";
import { ZstdCompress, ZstdDecompress } from "minizlib";

/** Whether this Node has zstd (22.15 and later). */
export const hasZstd = typeof zlib.zstdCompressSync === "function";

/** What every frame is made with: short matches left out, traces take a tenth less time and two in a hundred bytes more. */
export const zstdOptions = hasZstd
  ? { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1, [zlib.constants.ZSTD_c_minMatch]: 7 } }
  : {};

/** Most contents come out in one piece of this many bytes; each piece more costs a third of the whole. */
export const CONTENT_PIECE = 32 * 1024;

/** The bytes as one zstd frame, at once. Throws where this Node has no zstd. */
export const zstdFrame = reused(() => new ZstdCompress({ ...zstdOptions, flush: zlib.constants.ZSTD_e_end }));

/** Handed on to Node's stream as they are: the library's type leaves out the size of a piece. */
const contentOptions = { flush: zlib.constants.ZSTD_e_end, chunkSize: CONTENT_PIECE };

/** The content of a zstd frame, at once. Throws where it is cut off or damaged, and where this Node has no zstd. */
export function zstdContent(frame: Uint8Array): Buffer {
  // Nothing at all is no frame; the stream would wait for more.
  if (frame.byteLength === 0) throw new Error("zstd: unexpected end of the frame");
  return decompressed(frame);
}

const decompressed = reused(() => new ZstdDecompress(contentOptions));

/**
 * A codec whose every write is a whole by itself, done by the same stream: making one for each costs as much as half a
 * frame of 20 KB, and its memory calls the garbage collector. After an error another is made.
 */
function reused(make: () => ZstdCompress | ZstdDecompress): (bytes: Uint8Array) => Buffer {
  let stream: ReturnType<typeof make> | undefined;
  let given: Buffer[] = [];
  let failure: unknown;
  const open = () => {
    const made = make();
    made.on("data", (chunk) => given.push(chunk));
    made.on("error", (error) => {
      failure = error;
    });
    return made;
  };
  return (bytes) => {
    given = [];
    failure = undefined;
    stream ??= open();
    stream.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const whole = given;
    given = [];
    if (failure !== undefined) {
      stream = undefined;
      throw failure;
    }
    return whole.length === 1 ? (whole[0] as Buffer) : Buffer.concat(whole);
  };
}
