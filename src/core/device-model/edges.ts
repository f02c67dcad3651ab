/** Edges: which port is cabled to which, as a collector has it from LLDP or a list of links. */

export interface Edge {
  readonly deviceA: string
  readonly portA: string
  readonly deviceB: string
  readonly portB: string
  /** Length of the cable, meters; NaN: not known. */
  readonly cableM: number
  /** Line of the list that names it. */
  readonly line?: number
}
