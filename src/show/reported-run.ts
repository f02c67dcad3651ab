/**
 * A run as reports take it: its result, and what only its scenario says, which rooms above this one work out.
 */
import type { Result, Summary, WhyJson } from '../core/results/index.ts'

/** A port of the network: from its node to that of its peer. */
export interface NetworkPort {
  readonly node: number
  /** From 1. */
  readonly port: number
  readonly peerNode: number
  readonly peerPort: number
  /** Bit/s. */
  readonly rateBps: number
}

/** The graph of a scenario. */
export interface NetworkGraph {
  /** By node. */
  readonly names: readonly string[]
  /** By node: 0 hosts, 1 the switches they hang on, ... */
  readonly tiers: readonly number[]
  /** By host: the nodes of its ports. */
  readonly hostNodes: readonly (readonly number[])[]
  /** By host: its name, with the node id that its scenario writes where that is another number. */
  readonly hostTitles: readonly string[]
  /** Both ports of each link, one behind the other. */
  readonly ports: readonly NetworkPort[]
}

/** Facts that only the scenario of a run has. */
export interface ScenarioFacts {
  /** "a leaf-spine network of 16 hosts, 4 switches and 20 links". */
  readonly networkText: string
  /** "with dcqcn on go-back-n and PFC in class 3". */
  readonly schemesText: string
  /** Traffic classes with PFC. */
  readonly losslessClasses: readonly number[]
  readonly graph: NetworkGraph
  /** Some messages start when others are finished. */
  readonly hasClosedLoop: boolean
}

export interface ReportedRun {
  /** Name of the run beside others. */
  readonly label: string
  /** Folder of the result, as it was named. */
  readonly folder: string
  readonly result: Result
  readonly summary: Summary
  /** The scenario as run, complete. */
  readonly scenarioText: string
  /** Null: the scenario is of a version that this one cannot read. */
  readonly facts: ScenarioFacts | null
  /** Its causes as they were proved; absent: nobody has asked. */
  readonly why?: WhyJson
}
