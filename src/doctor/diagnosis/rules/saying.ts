/**
 * Saying: what one rule says of a fabric: findings, places where it holds, and values that it would need.
 */
import { assert } from '../../../core/base/assert.ts'
import {
  type FabricKind,
  type Finding,
  foundAt,
  type Cited,
  type Severity,
  type Subject,
  type Values,
} from '../../../core/findings/index.ts'
import type { Beyond, Device } from '../../devices/joins/index.ts'
import type { Plain, Value } from '../../../core/device-model/index.ts'

/** A port, or a device where the port is ''. */
export interface Spot {
  readonly device: string
  readonly port: string
  readonly at: Device | null
  /** Only where nobody knows where a port leads: that port. */
  readonly beyond?: Beyond
}

/** A value as evidence, at the port that has it. */
export interface Evidence {
  readonly spot: Spot
  readonly value: Value
}

/** A value that is unknown and would decide a rule. */
export interface Missing {
  readonly device: string
  readonly port: string
  readonly field: string
  readonly rule: string
}

export interface Fired<V> {
  readonly values: V
  readonly evidence: readonly Evidence[]
  readonly severity?: Severity
}

export const deviceSpot = (at: Device): Spot => ({ device: at.config.device, port: '', at })

export class Saying {
  readonly findings: Finding[] = []
  readonly missing: Missing[] = []
  /** Places at which the rule holds. */
  held = 0
  /** Devices at which it fires or holds. */
  readonly judged = new Set<string>()
  readonly #rule: string

  /** @param rule that says it: "PFC01" */
  constructor(rule: string) {
    this.#rule = rule
  }

  /** The value; undefined, and noted, where it is unknown. */
  known<T extends Plain>(spot: Spot, field: string, value: Value<T> | undefined): T | undefined {
    if (value !== undefined && value.state !== 'unknown') return value.value
    this.lacks(spot, field)
    return undefined
  }

  /** A value would be needed that nothing tells. */
  lacks({ device, port, beyond }: Spot, field: string): void {
    const rule = this.#rule
    if (beyond === undefined) this.missing.push({ device, port, field, rule })
    else this.missing.push({ device: beyond.device, port: beyond.port, field: beyond.lacks, rule })
  }

  fires<V extends Values>(kind: FabricKind<V>, spot: Spot, { values, evidence, severity }: Fired<V>): void {
    assert(
      spot.at === null || spot.at.config.device === spot.device,
      'rule: it fires at another device than it looked at',
    )
    this.judged.add(spot.device)
    const cited = evidence.map(citedOf)
    const first = cited.find(({ file, device }) => file !== '' && device === spot.device)
    const subject: Subject = {
      device: spot.device,
      ...(spot.port === '' ? {} : { interface: spot.port }),
      ...(first === undefined ? {} : { file: first.file, line: first.line }),
    }
    const found = foundAt(kind, subject, { ...values, dialect: spot.at?.config.language ?? '', cited })
    this.findings.push(severity === undefined ? found : { ...found, severity })
  }

  /** Fires or holds. @param fired asked where it fires: it holds at most places */
  judge<V extends Values>(isBroken: boolean, kind: FabricKind<V>, spot: Spot, fired: () => Fired<V>): void {
    if (isBroken) this.fires(kind, spot, fired())
    else this.holds(spot)
  }

  holds({ device }: Spot): void {
    this.judged.add(device)
    this.held++
  }
}

function citedOf({ spot: { device, port }, value }: Evidence): Cited {
  const { file, line } = value.state !== 'unknown' && value.origin !== undefined ? value.origin : { file: '', line: 0 }
  return { device, port, value: value.state === 'unknown' ? null : value.value, file, line }
}
