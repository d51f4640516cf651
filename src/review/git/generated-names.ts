/** Names of generated files: lock files, minified code, source maps, snapshots, generated sources. */
const GENERATED = [
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock)$/,
  /(^|\/)(Cargo\.lock|Gemfile\.lock|composer\.lock|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock)$/,
  /(^|\/)(go\.sum|go\.work\.sum|mix\.lock|flake\.lock|Package\.resolved|Podfile\.lock|pubspec\.lock)$/,
  /(^|\/)(gradle\.lockfile|packages\.lock\.json|paket\.lock|MODULE\.bazel\.lock|\.terraform\.lock\.hcl)$/,
  /\.min\.(js|css|mjs)$/,
  /\.(js|css|mjs|cjs)\.map$/,
  /\.(pb|pb\.gw)\.go$|_pb2(_grpc)?\.pyi?$|\.pb\.(cc|h)$|_pb\.(js|ts|d\.ts)$/,
  /\.(g|freezed)\.dart$|\.designer\.cs$|\.g\.cs$/i,
  /(^|\/)__snapshots__\/.*\.snap$/,
  /(^|\/)(__generated__|generated)\//,
  /\.generated\.[a-z]+$/,
];

/** Reports whether a path has the name of a generated file. */
export function isGeneratedName(path: string): boolean {
  return GENERATED.some((pattern) => pattern.test(path));
}
