import type { Key } from '../../lib/store/database/record.ts';
import { quoted } from './check.ts';
import { type Finding, kinds } from './checks.ts';
import type { Repair } from './repair.ts';

export function findingText(finding: Finding): string {
  const subject = 'key' in finding ? `The record ${keyText(finding.key)}` : `Account ${quoted(finding.account)}:`;
  return `${subject} ${kinds[finding.kind].text(finding)}.`;
}

/** Describes what was done about a finding, and what a person should do about the rest. */
export function repairText({ repaired, remaining }: Repair): string {
  const done = repaired.map(({ kind }) => `Repaired: ${kinds[kind].repair?.text}.`);
  if (remaining === undefined) return done.join(' ') || 'Nothing to do: it is consistent now.';
  const left = done.length === 0 ? [] : [`Now: ${findingText(remaining)}`];
  return [...done, ...left, `Left to you: ${kinds[remaining.kind].advice}.`].join(' ');
}

export const keyText = ({ pk, sk }: Key): string => `${quoted(pk)} / ${quoted(sk)}`;
