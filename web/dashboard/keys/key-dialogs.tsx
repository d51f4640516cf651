import { type ReactNode, useState } from "react";
import type { KeyView, TeamView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { announce } from "../../shared/components/toast.tsx";
import { writeClipboard } from "../../shared/write-clipboard.ts";
import { useSession } from "../data/session.ts";
import { FormDialog, NameField } from "./form-dialog.tsx";
import { LimitFields, limitsFrom, newLimitsFrom, toTexts } from "./limits.tsx";
import { TagFields, type TagTexts, tagsFrom, tagTexts } from "./tags.tsx";

interface KeyDialogProps {
  /** The key to change; undefined for a new one. */
  readonly existing?: KeyView;
  readonly teams: readonly TeamView[];
  readonly onClose: () => void;
  /** Called after the change, with the secret of a new key. */
  readonly onDone: (secret?: NewSecret) => void;
}

export interface NewSecret {
  readonly name: string;
  readonly secret: string;
}

const ROLES = ["user", "metrics", "admin"] as const;

/** Renders the dialog that creates or changes a key. */
export function KeyDialog({ existing, teams, onClose, onDone }: KeyDialogProps) {
  const { api } = useSession();
  const [name, setName] = useState(existing?.name ?? "");
  const [team, setTeam] = useState(existing?.team ?? "");
  const [role, setRole] = useState<KeyView["role"]>(existing?.role ?? "user");
  const [models, setModels] = useState(existing?.models?.join(", ") ?? "");
  const [expires, setExpires] = useState(existing?.expires_at?.slice(0, 10) ?? "");
  const [limits, setLimits] = useState(() => toTexts(existing?.limits ?? {}));
  const [tags, setTags] = useState<readonly TagTexts[]>(() => tagTexts(existing?.tags ?? {}));
  const [capture, setCapture] = useState<KeyView["capture"]>(existing?.capture ?? null);
  const submit = async () => {
    const patterns = models.split(/[\s,]+/).filter(Boolean);
    const body = {
      name: name.trim(),
      team: team === "" ? null : team,
      role,
      models: patterns.length === 0 ? null : patterns,
      tags: tagsFrom(tags),
      capture,
      // A date that was not changed keeps its time of day.
      expires_at:
        expires === (existing?.expires_at?.slice(0, 10) ?? "")
          ? (existing?.expires_at ?? null)
          : expires === ""
            ? null
            : `${expires}T00:00:00Z`,
    };
    if (existing) {
      await api.send("PATCH", `/keys/${encodeURIComponent(existing.id)}`, {
        ...body,
        limits: limitsFrom(limits),
      });
      onDone();
    } else {
      const created = { ...body, limits: newLimitsFrom(limits) };
      const { secret } = await api.send<{ secret: string }>("POST", "/keys", created);
      onDone({ name: body.name, secret });
    }
  };
  return (
    <FormDialog
      title={existing ? `Change the key ${existing.name}` : "Create a key"}
      action={existing ? "Save" : "Create key"}
      onClose={onClose}
      onSubmit={submit}
    >
      <NameField name={name} onChange={setName} />
      <div className="form-row">
        <label className="field">
          <span>Team</span>
          <select className="input" value={team} onChange={({ target }) => setTeam(target.value)}>
            <option value="">None</option>
            {teams.map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Role</span>
          <select
            className="input"
            value={role}
            onChange={({ target }) => setRole(ROLES.find((each) => each === target.value) ?? "user")}
          >
            {ROLES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Expires, in UTC (empty: never)</span>
          <input
            className="input"
            type="date"
            value={expires}
            onChange={({ target }) => setExpires(target.value)}
          />
        </label>
      </div>
      <label className="field">
        <span>Models (patterns, separated by commas; empty: all)</span>
        <input
          className="input input-code"
          placeholder="claude-*, gpt-5*"
          value={models}
          onChange={({ target }) => setModels(target.value)}
        />
      </label>
      <LimitFields texts={limits} onChange={setLimits} />
      <TagFields texts={tags} onChange={setTags} />
      <label className="field">
        <span>Keep bodies of its calls, for admins</span>
        <select
          className="input"
          value={capture ?? ""}
          onChange={({ target }) =>
            setCapture(CAPTURES.find(({ value }) => value === target.value)?.value ?? null)
          }
        >
          <option value="">As set in proxy.capture</option>
          {CAPTURES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}

const CAPTURES = [
  { value: "off", label: "None" },
  { value: "errors", label: "Of failed calls" },
  { value: "all", label: "Of all calls" },
] as const;

const GRACES = [
  { value: "", label: "at once" },
  { value: "1h", label: "after 1 hour" },
  { value: "24h", label: "after 24 hours" },
  { value: "7d", label: "after 7 days" },
] as const;

/** Renders the dialog that replaces the secret of a key. */
export function RotateDialog({
  target,
  onClose,
  onDone,
}: {
  readonly target: KeyView;
  readonly onClose: () => void;
  readonly onDone: (secret: NewSecret) => void;
}) {
  const { api } = useSession();
  const [grace, setGrace] = useState("24h");
  const submit = async () => {
    const path = `/keys/${encodeURIComponent(target.id)}/rotate`;
    const { secret } = await api.send<{ secret: string }>("POST", path, grace === "" ? {} : { grace });
    onDone({ name: target.name, secret });
  };
  return (
    <FormDialog
      title={`Rotate the key ${target.name}`}
      action="Rotate key"
      onClose={onClose}
      onSubmit={submit}
    >
      <p>The key gets a new secret, which is shown once. Its limits and usage are kept.</p>
      <label className="field">
        <span>Earlier secrets are rejected</span>
        <select className="input" value={grace} onChange={(event) => setGrace(event.target.value)}>
          {GRACES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}

interface ConfirmDialogProps {
  readonly title: string;
  readonly action: string;
  readonly path: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
  /** The message, which names what is lost. */
  readonly children: ReactNode;
}

/** Asks for confirmation, then sends a DELETE request. */
export function ConfirmDialog({ title, action, path, onClose, onDone, children }: ConfirmDialogProps) {
  const { api } = useSession();
  const submit = async () => {
    await api.send("DELETE", path);
    onDone();
  };
  return (
    <FormDialog title={title} action={action} isDanger onClose={onClose} onSubmit={submit}>
      <p>{children}</p>
    </FormDialog>
  );
}

/** Shows a secret, which cannot be shown again. */
export function SecretDialog({ name, secret, onClose }: NewSecret & { readonly onClose: () => void }) {
  const [label, setLabel] = useState("Copy");
  const copy = async () => {
    const outcome = (await writeClipboard(secret)) ? "Copied" : "Press Ctrl+C";
    setLabel(outcome);
    announce(outcome);
  };
  return (
    <Dialog title={`Secret of the key ${name}`} onClose={onClose}>
      <p>Copy it now: the proxy stores only its SHA-256 hash and cannot show it again.</p>
      <div className="secret">
        <input
          className="input input-code"
          readOnly
          aria-label="Secret"
          value={secret}
          data-initial-focus
          onFocus={({ target }) => target.select()}
        />
        <Button variant="primary" onClick={() => void copy()}>
          {label}
        </Button>
      </div>
      <p className="buttons">
        <Button onClick={onClose}>Done</Button>
      </p>
    </Dialog>
  );
}
