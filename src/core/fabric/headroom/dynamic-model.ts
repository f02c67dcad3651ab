/**
 * Headroom as SONiC's dynamic buffer model computes it ("the well-known formula"), with the constants of an ASIC.
 * Source: SONiC dynamic buffer model, its headroom plugin. Exact on every row of five tables that NVIDIA ships
 * (families.test.ts); other tables of the vendor do not fit with these constants.
 * Units: bytes, bit/s, metres.
 */
import { formatRounded } from '../../base/units.ts'
import { fixedReaction, standardReaction } from './reaction.ts'
import { type AsicPort, type HeadroomSum, type HeadroomTerm, sumOf } from './terms.ts'

export interface DynamicModel {
  readonly cellBytes: number
  /** The fill of cells by the smallest packets is rounded up to a whole number (sonic-swss#3235; older tables: not). */
  readonly roundsWorst: boolean
  /** Response of the peer: a number of bytes, or the standard's bound by speed. */
  readonly response: number | 'quanta'
  /** Percentage of the lossless packets that have 64 bytes; 100: all. */
  readonly smallPercent: number
  /** Headroom comes from a pool that the ports share. */
  readonly sharedPool: boolean
  /** Bytes of one tile per Gb/s. */
  readonly tilePerGbps: number
  readonly gearboxBytes: number
  readonly macPhyBytes: number
  /** Added to the sum, after its rounding. */
  readonly marginBytes: number
}

/** Speed of light in NVIDIA's formula. */
const METRES_PER_SECOND = 198e6
const MODEL = 'SONiC dynamic buffer model'
const SMALL_BYTES = 64
const ROUNDING = 1024

export function dynamicHeadroom(model: DynamicModel, port: AsicPort): HeadroomSum {
  const sum = withMargin(model, withSmall(model, port, model.smallPercent))
  if (model.sharedPool || model.smallPercent === 100) return sum
  // Without a shared pool a mixture of sizes that saves more than 2 KiB gives 2 KiB of it back.
  if (withSmall(model, port, 100).bytes - sum.bytes <= 2048) return sum
  return sumOf([
    ...sum.terms,
    { name: 'margin', bytes: 2048, formula: '2 KiB: small packets are not all, and no pool is shared', source: MODEL },
  ])
}

function withMargin({ marginBytes }: DynamicModel, sum: HeadroomSum): HeadroomSum {
  if (marginBytes === 0) return sum
  const formula = `${marginBytes / 1024} KiB for this ASIC`
  return sumOf([...sum.terms, { name: 'margin', bytes: marginBytes, formula, source: 'sonic-swss pull request 4797' }])
}

function withSmall(model: DynamicModel, port: AsicPort, smallPercent: number): HeadroomSum {
  const path = pathTerms(model, port)
  const pathBytes = path.reduce((sum, { bytes }) => sum + bytes, 0)
  const worst = worstFill(model)
  const { losslessMtuBytes: mtu } = port
  const share = (100 * SMALL_BYTES) / ((smallPercent * SMALL_BYTES + (100 - smallPercent) * mtu) / 100)
  const occupancy = 1 + (share / 100) * (worst - 1)
  const exactBytes = mtu + pathBytes * occupancy
  return sumOf([
    { name: 'longest lossless frame', bytes: mtu, formula: `${mtu}`, source: `${MODEL}: lossless MTU` },
    ...path,
    {
      name: 'cells',
      bytes: pathBytes * (occupancy - 1),
      formula:
        `${shown(pathBytes)} x (${shown(occupancy)} - 1): packets of 64 bytes in cells of ${model.cellBytes} take ${shown(worst)} times their bytes` +
        (smallPercent === 100 ? '' : `; ${smallPercent} % of the packets are so small`),
      source: `${MODEL}: cell occupancy`,
    },
    {
      name: 'rounding',
      bytes: Math.ceil(exactBytes / ROUNDING) * ROUNDING - exactBytes,
      formula: 'up to a multiple of 1024',
      source: MODEL,
    },
  ])
}

/** Bytes on the path, before they are counted in cells. */
function pathTerms(model: DynamicModel, { rateBps, metres, portMtuBytes }: AsicPort): HeadroomTerm[] {
  const gbps = rateBps / 1e9
  const rate = formatRounded('rate', rateBps)
  return [
    {
      name: 'frame that delays the pause',
      bytes: portMtuBytes,
      formula: `${portMtuBytes}`,
      source: `${MODEL}: port MTU`,
    },
    {
      name: 'cable there and back',
      bytes: (2 * metres * rateBps) / METRES_PER_SECOND / 8,
      formula: `2 x ${shown(metres)} m x ${rate} / 198e6 m/s / 8`,
      source: MODEL,
    },
    { name: 'gearbox', bytes: 2 * model.gearboxBytes, formula: `2 x ${model.gearboxBytes}`, source: MODEL },
    { name: 'MAC and PHY', bytes: model.macPhyBytes, formula: shown(model.macPhyBytes), source: MODEL },
    model.response === 'quanta'
      ? standardReaction(rateBps)
      : fixedReaction(model.response, `${MODEL}: peer response of the ASIC`),
    {
      name: 'tile',
      bytes: model.tilePerGbps * gbps,
      formula: `${model.tilePerGbps} x ${shown(gbps)} (rate in Gb/s)`,
      source: MODEL,
    },
  ].filter(({ bytes }) => bytes > 0)
}

/** Bytes that a packet of 64 takes of a buffer, over its own, as the model has it. */
function worstFill({ cellBytes, roundsWorst }: DynamicModel): number {
  const worst = cellBytes > 128 ? cellBytes / SMALL_BYTES : (2 * cellBytes) / (1 + cellBytes)
  return roundsWorst ? Math.ceil(worst) : worst
}

/** A number with at most two decimals. */
function shown(value: number): string {
  return String(Number(value.toFixed(2)))
}
