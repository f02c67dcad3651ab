/**
 * Rules over the values of a switch's buffer: no part is larger than the whole, and it pauses before it is full.
 * If a default breaks a rule because another value was given without it, the message names the default and what to set.
 */
import { defaultsOf } from '../../../core/base/params.ts'
import { formatQuantity } from '../../../core/base/units.ts'
import { inputQueued, sharedBuffer as sharedDefinition } from '../../../core/fabric/params.ts'
import type { Rule } from '../text/parse-tree.ts'
import { issue, SOUND } from './rule-issue.ts'
import type { Scenario } from '../scenario.ts'

const DEFAULTS = defaultsOf(inputQueued.params)

const bytes = (value: number): string => formatQuantity('size', value)

/** An input buffer pauses before it is full and resumes before it is empty. */
export const inputBuffer: Rule<Scenario> = {
  reads: ['switch.buffer', 'pfc.classes'],
  check: ({ switch: { buffer }, pfc }) => {
    if (buffer.kind !== 'input-queued' || pfc.classes.length === 0) return SOUND
    const { portBuffer, xoff, xonOffset } = buffer
    if (xoff > portBuffer) {
      const hint = xoff === DEFAULTS.xoff ? xoffHint(portBuffer) : ''
      return [issue('switch.buffer.xoff', `at most portBuffer, ${bytes(portBuffer)}`, bytes(xoff), hint)]
    }
    return xonOffset <= xoff
      ? SOUND
      : [issue('switch.buffer.xonOffset', `at most xoff, ${bytes(xoff)}`, bytes(xonOffset))]
  },
}

/**
 * The default of xoff fits the default of portBuffer. It is not scaled with a given portBuffer: a scenario that gives
 * portBuffer alone keeps its value of xoff, and its digest.
 */
function xoffHint(portBuffer: number): string {
  const { portBuffer: wholeBytes, xoff: xoffBytes } = DEFAULTS
  // Leaves as much for packets that arrive after XOFF as the defaults do, or half of a small buffer.
  const kept = Math.min(wholeBytes - xoffBytes, Math.floor(portBuffer / 2))
  return (
    `the default of xoff is ${bytes(xoffBytes)}: set switch.buffer.xoff too, ` +
    `such as ${bytes(portBuffer - kept)}, which leaves ${bytes(kept)} for packets that arrive after XOFF`
  )
}

/** No part of a shared buffer is larger than the whole. */
export const sharedBuffer: Rule<Scenario> = {
  reads: ['switch.buffer.size'],
  partsOf: ['switch.buffer'],
  check: ({ switch: { buffer } }, isSound) => {
    // A size that is left open is chosen so that all parts fit.
    if (buffer.kind !== 'shared-buffer' || buffer.size === null) return SOUND
    const { reserve, egressReserve, size } = buffer
    const parts = { reserve, egressReserve, headroom: buffer.headroom ?? 0 }
    return (['reserve', 'egressReserve', 'headroom'] as const)
      .map((name) => [name, parts[name]] as const)
      .filter(([name, part]) => isSound(`switch.buffer.${name}`) && part > size)
      .map(([name, part]) =>
        issue(
          `switch.buffer.${name}`,
          `at most the whole buffer, ${bytes(size)}`,
          bytes(part),
          part === sharedDefinition.params[name].default ? `the default is ${bytes(part)}: set it too` : '',
        ),
      )
  },
}

/** Headroom of hardware is that of a family. */
export const familyFormula: Rule<Scenario> = {
  reads: ['switch.buffer', 'switch.family'],
  check: ({ switch: { buffer, family } }) => {
    if (buffer.kind !== 'shared-buffer' || buffer.headroomFormula !== 'hardware' || family !== 'off') return SOUND
    const hint = 'such as switch.family=spc4; rocelab headroom shows what each needs'
    return [issue('switch.family', 'the family that headroomFormula=hardware computes headroom for', 'off', hint)]
  },
}

/** Priority groups and limits of a memory manager. */
export const managedBuffer: Rule<Scenario> = {
  reads: ['switch.buffer', 'pfc.classes'],
  check: ({ switch: { buffer }, pfc }) => {
    if (buffer.kind !== 'memory-manager') return SOUND
    const { groups, lossy, profiles, queues } = buffer
    if (groups.length !== 8) {
      return [issue('switch.buffer.groups', '8 priority groups, one for each class', `${groups.length}`)]
    }
    const shared = pfc.classes.filter((c) => groups.filter((group) => group === groups[c]).length > 1)
    const limits = [
      ['switch.buffer', buffer] as const,
      ['switch.buffer.lossy', lossy] as const,
      ...profiles.map((row, i) => [`switch.buffer.profiles.${i}`, row] as const),
      ...queues.map((row, i) => [`switch.buffer.queues.${i}`, row] as const),
    ]
    return [
      ...shared.map((c) =>
        issue(
          `switch.buffer.groups.${c}`,
          `a group of its own for class ${c}, which is lossless`,
          `group ${groups[c] ?? ''}, shared with other classes`,
        ),
      ),
      ...limits
        .filter(
          ([, { alpha, dynamicTh, staticTh }]) => [alpha, dynamicTh, staticTh].filter((v) => v !== null).length > 1,
        )
        .map(([at]) => issue(at, 'one of alpha, dynamicTh and staticTh', 'several')),
    ]
  },
}
