/** The highlighter's WebAssembly code, which comes as a module without types. */
declare module "*/highlights.wasm.mjs" {
  const code: Uint8Array;
  // biome-ignore lint/style/noDefaultExport: how the package exports it
  export default code;
}

/** What is used of it here; TypeScript has its types among those of browsers. */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: "WebAssembly.Module";
  }
  function compile(code: Uint8Array): Promise<Module>;
}
