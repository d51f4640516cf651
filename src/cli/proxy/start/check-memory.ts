import { AppError } from "../../../errors.ts";

/**
 * Throws `overloaded` where the system refuses the address space that the HTTP client's WebAssembly parser reserves. Node.js would
 * end the process later, with a stack trace, when the parser is first used.
 */
export function checkMemory(allocate: () => unknown = allocateWasm): void {
  try {
    allocate();
  } catch (cause) {
    throw new AppError(
      "overloaded",
      "Cannot start the HTTP client: the system refused address space for WebAssembly, which reserves about 10 GB without using it",
      {
        cause,
        hint: "Raise the limit of virtual memory (ulimit -v unlimited), or set NODE_OPTIONS=--disable-wasm-trap-handler.",
      },
    );
  }
}

/** The types of Node.js do not have this class. */
function allocateWasm(): unknown {
  return Reflect.construct(Reflect.get(WebAssembly, "Memory"), [{ initial: 1 }]);
}
