/** Options of live commands for loss recovery and congestion control. */
import { parseQuantity } from '../../../base/units.ts'
import { LIVE_DEFAULTS } from '../../../verbs/index.ts'
import type { SchemeNames } from '../../../live/index.ts'
import { anyText } from '../../parsers.ts'

export interface SchemeFlags {
  readonly recovery?: string
  readonly congestion?: string
  readonly rate?: number
}

const name = { kind: 'parsed', parse: anyText, optional: true, placeholder: 'NAME' } as const

export const recoveryFlag = (brief: string) => ({ ...name, brief: `${brief} [default = go-back-n]` }) as const

export const schemeFlags = {
  recovery: recoveryFlag('Loss recovery at both ends, such as improved-gbn or irn'),
  congestion: { ...name, brief: 'Congestion control at both ends, such as dcqcn [default = none]' },
  rate: {
    kind: 'parsed',
    parse: rateOf,
    optional: true,
    placeholder: 'RATE',
    brief: 'Most that is sent [default = 10Gbps]',
  },
} as const

export function schemeNames({ recovery, congestion, rate }: SchemeFlags): SchemeNames {
  const { schemes } = LIVE_DEFAULTS
  return {
    recovery: recovery ?? 'go-back-n',
    congestion: congestion ?? schemes.congestion.kind,
    rateBps: rate ?? schemes.lineRateBps,
  }
}

function rateOf(input: string): number {
  const rateBps = parseQuantity('rate', input)
  if (rateBps !== undefined && rateBps > 0 && rateBps <= 1e13) return rateBps
  throw new Error(`expected a rate such as 1Gbps, received ${JSON.stringify(input)}`)
}
