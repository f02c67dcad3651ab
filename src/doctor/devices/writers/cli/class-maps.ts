/**
 * Class-maps and input policies of NX-OS and EOS, which take a packet by its DSCP or by the priority of its VLAN tag.
 */
import { knownOf, CLASS_COUNT, type PortSettings } from '../../../../core/device-model/index.ts'
import { type Block, block, type Names, rangesText } from './config-lines.ts'

const EVERY_CLASS: readonly number[] = Array.from({ length: CLASS_COUNT }, (_, index) => index)

/** Packets of one kind, and the number that they get. */
export interface InputRule {
  readonly kind: 'dscp' | 'cos'
  /** As in the model. */
  readonly class: number
  /** DSCPs or priorities, ascending. */
  readonly values: readonly number[]
  /** Group or traffic class. */
  readonly to: number
}

export interface ClassWords {
  readonly classMap: string
  readonly policyMap: string
  readonly set: string
}

/** Name of the policy with the rules, the first that fits deciding. @param rest number of all other packets @param out gets its definitions */
export function inputPolicy(
  rules: readonly InputRule[],
  rest: number | undefined,
  words: ClassWords,
  names: Names,
  out: Block[],
): string {
  const inside = rules.map((rule): Block => {
    const match = `match ${rule.kind} ${rangesText(rule.values)}`
    const purpose = `${rule.kind === 'dscp' ? 'class-map' : 'cos-class-map'} ${rule.class}`
    const name = names.of(purpose, match, (own) => out.push(block(`${words.classMap} ${own}`, [match])))
    return block(`class ${name}`, [`${words.set} ${rule.to}`])
  })
  if (rest !== undefined) inside.push(block('class class-default', [`${words.set} ${rest}`]))
  return names.of('input-policy', inside, (own) => out.push(block(`${words.policyMap} ${own}`, inside)))
}

/** DSCPs of each class, ascending. @param isWanted whether a DSCP matters */
export function dscpsByClass(
  { dscpToClass }: PortSettings,
  isWanted: (dscp: number, index: number) => boolean = () => true,
): Map<number, number[]> {
  const dscps = new Map<number, number[]>()
  for (const [dscp, value] of dscpToClass.entries()) {
    const index = knownOf(value)
    if (index !== undefined && isWanted(dscp, index)) dscps.set(index, [...(dscps.get(index) ?? []), dscp])
  }
  return dscps
}

/** Rules by the priority of the tag, which is the number of its class: for the lossless ones, else for all. */
export function cosRules(lossless: readonly number[], groupOf: (index: number) => number): InputRule[] {
  const classes = lossless.length > 0 ? lossless : EVERY_CLASS
  return classes.map((index) => ({ kind: 'cos', class: index, values: [index], to: groupOf(index) }))
}
