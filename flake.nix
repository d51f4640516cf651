{
  description = "Review the plans and diffs of coding agents, and proxy their model calls";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      manifest = builtins.fromJSON (builtins.readFile ./package.json);
    in
    {
      packages = forEach (pkgs: {
        default = pkgs.buildNpmPackage {
          pname = manifest.name;
          inherit (manifest) version;
          src = self;
          nodejs = pkgs.nodejs_24;
          # The lock file has the hash of every package, so no other hash is kept here.
          npmDeps = pkgs.importNpmLock { npmRoot = ./.; };
          npmConfigHook = pkgs.importNpmLock.npmConfigHook;
          npmFlags = [ "--ignore-scripts" ];
          # The package is bundled: it has no dependencies at run time.
          dontNpmPrune = true;
          nativeBuildInputs = [ pkgs.makeWrapper ];
          installPhase = ''
            runHook preInstall
            npm pack --ignore-scripts
            mkdir -p $out/lib $out/bin
            tar -xzf *.tgz -C $out/lib
            makeWrapper ${pkgs.nodejs_24}/bin/node $out/bin/sallyport \
              --add-flags $out/lib/package/dist/sallyport.js \
              --suffix PATH : ${pkgs.lib.makeBinPath [ pkgs.git ]}
            install -Dm644 $out/lib/package/dist/sallyport.1 $out/share/man/man1/sallyport.1
            runHook postInstall
          '';
          meta = {
            inherit (manifest) description;
            license = pkgs.lib.licenses.mit;
            mainProgram = manifest.name;
          };
        };
      });

      apps = nixpkgs.lib.mapAttrs (_system: packages: {
        default = {
          type = "app";
          program = "${packages.default}/bin/sallyport";
        };
      }) self.packages;
    };
}
