import { useEffect, useState } from "react";
import type { ReviewSettings, VaultList } from "../../../src/review/api-types.ts";
import { getJson } from "../../shared/api/client.ts";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { openDialog } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";
import { baseName, updateSettings } from "../state/settings.ts";

/**
 * Renders the settings for copies of the plan: a folder, an Obsidian vault, Bear. They apply to this and all later
 * reviews.
 */
export function SaveOptions() {
  const settings = useReview((state) => state.plan?.settings);
  if (!settings) return null;
  const { planSave, noteapp } = settings;
  return (
    <div className="save-options">
      <Check
        label="Keep a copy in a folder"
        checked={planSave.enabled}
        onChange={(enabled) => updateSettings({ planSave: { ...planSave, enabled } })}
      />
      {planSave.enabled && (
        <label className="field save-detail">
          <span>Folder</span>
          <input
            className="input"
            defaultValue={planSave.customPath ?? ""}
            placeholder="Sallyport's own plans folder"
            onBlur={({ target }) =>
              updateSettings({
                planSave: { enabled: true, ...(target.value.trim() && { customPath: target.value.trim() }) },
              })
            }
          />
          <small>An absolute path, or one that starts with ~</small>
        </label>
      )}
      <VaultOptions settings={settings} />
      <Check
        label="Send approved plans to Bear (macOS)"
        checked={noteapp?.enabled ?? false}
        onChange={(enabled) => updateSettings({ noteapp: { enabled } })}
      />
    </div>
  );
}

type Vault = NonNullable<ReviewSettings["vaultapp"]>;

const NO_VAULT: Vault = { enabled: false, vaultPath: "" };

function VaultOptions({ settings }: { readonly settings: ReviewSettings }) {
  const [vaults, setVaults] = useState<readonly string[]>();
  const vault = settings.vaultapp ?? NO_VAULT;
  const change = (changes: Partial<Vault>) => updateSettings({ vaultapp: { ...vault, ...changes } });

  useEffect(() => {
    getJson<VaultList>("/api/notes/vaults").then((result) => setVaults(result.ok ? result.value.vaults : []));
  }, []);

  const known = [...new Set([...(vaults ?? []), ...(vault.vaultPath ? [vault.vaultPath] : [])])];
  return (
    <>
      <Check
        label="Save approved plans to an Obsidian vault"
        checked={vault.enabled}
        disabled={known.length === 0}
        hint={
          vaults?.length === 0 && known.length === 0
            ? "No Obsidian vault was found on this machine."
            : undefined
        }
        onChange={(enabled) => change({ enabled, vaultPath: vault.vaultPath || (known[0] ?? "") })}
      />
      {vault.enabled && <VaultFields vault={vault} known={known} change={change} />}
    </>
  );
}

interface VaultFieldsProps {
  readonly vault: Vault;
  /** Paths of the available vaults. */
  readonly known: readonly string[];
  readonly change: (changes: Partial<Vault>) => void;
}

function VaultFields({ vault, known, change }: VaultFieldsProps) {
  return (
    <div className="save-detail save-grid">
      <label className="field">
        <span>Vault</span>
        <select
          className="input"
          value={vault.vaultPath}
          onChange={({ target }) => change({ vaultPath: target.value })}
        >
          {known.map((path) => (
            <option key={path} value={path} title={path}>
              {baseName(path)}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>Folder in the vault</span>
        <input
          className="input"
          defaultValue={vault.folder ?? ""}
          placeholder="The vault's root"
          onBlur={({ target }) => change({ folder: target.value.trim() })}
        />
      </label>
      <label className="field">
        <span>Tags</span>
        <input
          className="input"
          defaultValue={(vault.tags ?? []).join(", ")}
          placeholder="plan, project"
          onBlur={({ target }) => change({ tags: tagsIn(target.value) })}
        />
      </label>
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly hint?: string | undefined;
  readonly onChange: (checked: boolean) => void;
}

function Check({ label, checked, disabled = false, hint, onChange }: CheckProps) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>
        {label}
        {hint && (
          <>
            <br />
            <small className="hint">{hint}</small>
          </>
        )}
      </span>
    </label>
  );
}

/** Renders the dialog of the save settings, outside of a decision. */
export function SaveDialog() {
  const close = () => openDialog(undefined);
  return (
    <Dialog
      title="Save settings"
      onClose={close}
      footer={
        <Button variant="primary" onClick={close}>
          Done
        </Button>
      }
    >
      <p className="hint">Applies to this and later reviews. Denied plans are saved only in the folder.</p>
      <SaveOptions />
    </Dialog>
  );
}

/** Parses tags separated by commas or whitespace, with or without `#`. */
export function tagsIn(text: string): string[] {
  const tags = text.split(/[\s,]+/).map((tag) => tag.replace(/^#+/, ""));
  return [...new Set(tags.filter(Boolean))];
}
