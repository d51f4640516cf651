/** The highlighter's WebAssembly code; the package has no types for it. */
declare module "*/highlights.wasm.mjs" {
  const code: Uint8Array;
  // biome-ignore lint/style/noDefaultExport: how the package exports it
  export default code;
}

/** The members used here. TypeScript declares them only in its DOM library. */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: "WebAssembly.Module";
  }
  function compile(code: Uint8Array): Promise<Module>;
}
