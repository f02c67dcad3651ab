/**
 * Choice of paths of the HPCC family: ECMP, or LB_MODE of conweave. Its schemes that rocelab has in a similar form are mapped
 * to that form, and notes name the differences; the others are refused.
 * Source: DoLbDrill of conweave's SwitchNode, LetflowRouting, letflow_flowletTimeout.
 */
import { foundAt, importFindings } from '../../core/findings/index.ts'
import type { Run } from './run.ts'
import type { Branch } from '../importer.ts'

/** Values of the option `balance`. */
export const BALANCES = ['ecmp', 'flowlet', 'adaptive'] as const
type Balance = (typeof BALANCES)[number]

const FORMS: Readonly<Record<Balance, Branch>> = {
  ecmp: { kind: 'ecmp', seed: 'node' },
  flowlet: { kind: 'flowlet', gap: '100us', pick: 'random' },
  adaptive: { kind: 'adaptive', per: 'packet' },
}

interface Mode {
  readonly name: string
  /** Undefined if rocelab has nothing like it. */
  readonly balance?: Balance
  /** Differences of rocelab's form. */
  readonly differs?: 'drill' | 'letflow'
}

const MODES: Readonly<Record<number, Mode>> = {
  0: { name: 'ECMP by flow', balance: 'ecmp' },
  2: {
    name: 'DRILL',
    balance: 'adaptive',
    differs: 'drill',
  },
  3: { name: 'CONGA' },
  6: {
    name: 'LetFlow',
    balance: 'flowlet',
    differs: 'letflow',
  },
  9: { name: 'ConWeave' },
}

export function mapBalance({ config, dialect, log, input }: Run): Branch {
  if (dialect !== 'conweave') return FORMS.ecmp
  const number = config.whole('LB_MODE', 0)
  const mode = Object.hasOwn(MODES, number) ? MODES[number] : undefined
  const chosen = BALANCES.find((balance) => balance === input.options['balance'])
  if (chosen !== undefined && chosen !== mode?.balance)
    log.note(
      foundAt(importFindings.importReplaced, {}, { option: 'balance', chosen, key: 'LB_MODE', written: `${number}` }),
    )
  const balance = chosen ?? mode?.balance
  if (balance === undefined) {
    const known = Object.entries(MODES).flatMap(([key, { name, balance: has }]) =>
      has === undefined ? [] : [`${key} (${name})`],
    )
    log.issue(
      config.location('LB_MODE'),
      'LB_MODE',
      `one of ${known.join(', ')}`,
      mode === undefined ? `${number}` : `${number} (${mode.name}), which rocelab does not have`,
      `--balance ${BALANCES.join(', ')} imports the rest`,
    )
    return FORMS.ecmp
  }
  if (balance === mode?.balance && mode.differs !== undefined) log.note(importFindings.differs(mode.differs, {}))
  return FORMS[balance]
}
