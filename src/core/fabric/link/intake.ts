/**
 * Intake: a mechanism at a port that sees every frame which arrives there, after the link's faults and before the device.
 * It may take a frame: drop it, or keep it and hand it to the device later. PFC frames pass it too.
 * Ports without an intake never ask for one (Network.recordTargets marks the ports that do).
 */
import type { DevicePort } from './device.ts'

export interface Intake {
  /** It hands frames on to the device itself, so that all other intakes of the port come before it; a port has one at most. */
  readonly isLast?: true
  /** True: the frame is the intake's now, and the device does not receive it. */
  takes(packet: number, port: DevicePort): boolean
}

/** Several intakes on one port: each sees the frames that those before it have let through. */
export class IntakeChain implements Intake {
  readonly intakes: readonly Intake[]

  constructor(intakes: readonly Intake[]) {
    this.intakes = intakes
  }

  takes(packet: number, port: DevicePort): boolean {
    for (const intake of this.intakes) if (intake.takes(packet, port)) return true
    return false
  }
}

/** These intakes and one more, after them but before one that is last; null: none. */
export function withIntake(intake: Intake | null, added: Intake): Intake {
  if (intake === null) return added
  const before = listOf(intake)
  const last = before.at(-1)!.isLast === true ? before.slice(-1) : []
  return new IntakeChain([...before.slice(0, before.length - last.length), added, ...last])
}

/** One more intake and these, which see the frames after it. */
export function withFirstIntake(intake: Intake | null, added: Intake): Intake {
  return intake === null ? added : new IntakeChain([added, ...listOf(intake)])
}

/** These intakes without one. */
export function withoutIntake(intake: Intake | null, removed: Intake): Intake | null {
  const [only, ...more] = listOf(intake).filter((other) => other !== removed)
  return only === undefined ? null : more.length === 0 ? only : new IntakeChain([only, ...more])
}

function listOf(intake: Intake | null): readonly Intake[] {
  return intake === null ? [] : intake instanceof IntakeChain ? intake.intakes : [intake]
}
