import type { CommandFacts, FlagFacts } from "./command-tree.ts";

/**
 * Returns a completion script for PowerShell 5.1 and newer, to be run in a profile. `-Native` completers receive the
 * words as the parser splits them; "=" can join a flag and its value. If the result is empty, PowerShell completes file
 * names.
 */
export function createPowershellCompletion(tree: readonly CommandFacts[]): string {
  return `# PowerShell completion for sallyport, in $PROFILE: sallyport completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName sallyport -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $tree = @{
${tree.map(entry).join("\n")}
  }
  $words = @($commandAst.CommandElements |
    Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
    ForEach-Object { $_.Extent.Text })
  # The word at the cursor is being completed, so it does not select a command.
  if ($wordToComplete -ne '' -and $words.Count -gt 1) { $words = @($words[0..($words.Count - 2)]) }
  $at = 'sallyport'
  $previous = ''
  foreach ($word in @($words | Select-Object -Skip 1)) {
    $previous = $word
    if ($word -eq 'help') { continue }
    if ($tree.ContainsKey("$at $word")) { $at = "$at $word" }
  }
  $here = $tree[$at]
  $prefix = ''
  $typed = $wordToComplete
  if ($wordToComplete -match '^(--[a-z-]+)=(.*)$') {
    $previous = $Matches[1]
    $prefix = "$previous="
    $typed = $Matches[2]
  }
  $flag = @($here.Flags | Where-Object { $_.Name -eq $previous -and $_.TakesValue })
  if ($flag.Count -gt 0) { $found = @($flag[0].Values | ForEach-Object { @{ Name = $_; Help = $_ } }) }
  elseif ($wordToComplete -like '-*') { $found = @($here.Flags) }
  else { $found = @($here.Words) }
  $found | Where-Object { $_.Name -like "$typed*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new("$prefix$($_.Name)", $_.Name, 'ParameterValue', $_.Help)
  }
}
`;
}

function entry({ path, flags, commands, values }: CommandFacts): string {
  const names = [
    ...commands.map(({ name, description }) => item(name, description)),
    ...values.map((value) => item(value, value)),
  ];
  return `    ${quoted(path)} = @{
      Words = @(${names.join(", ")})
      Flags = @(${flags.map(flagItem).join(", ")})
    }`;
}

function item(name: string, help: string): string {
  // PowerShell rejects a completion result without a help text.
  return `@{ Name = ${quoted(name)}; Help = ${quoted(help || name)} }`;
}

function flagItem({ name, description, takesValue, values }: FlagFacts): string {
  const value = takesValue
    ? `TakesValue = $true; Values = @(${values.map(quoted).join(", ")})`
    : "TakesValue = $false";
  return `@{ Name = ${quoted(name)}; Help = ${quoted(description || name)}; ${value} }`;
}

/** Quotes a text for PowerShell, which also ends strings at typographic quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\u2018\u2019\u201a\u201b]/g, "$&$&")}'`;
}
