/**
 * Transport schemes that the papers name, with what each is called here. A name without any registered or absent scheme
 * below it would be a gap that nobody has told.
 * Source: the schemes of S0 to S4, by section; those of "absent" are names in src/transport/absent-schemes.ts.
 */

export interface PaperScheme {
  readonly name: string
  /** Papers that name it. */
  readonly papers: string
  /** Registered here as any of these: recoveries and congestion controls. */
  readonly here: readonly string[]
}

export const PAPER_SCHEMES: readonly PaperScheme[] = [
  { name: 'RoCE', papers: 'S0 S1 S2 S3 S4', here: ['go-back-n'] },
  { name: 'go-back-0', papers: 'S0 S1 S2', here: ['go-back-0'] },
  { name: 'go-back-N', papers: 'S0 S1 S2 S3 S4', here: ['go-back-n'] },
  { name: 'ST (Send Twice)', papers: 'S0', here: ['send-twice'] },
  { name: 'CE (Check EPSN)', papers: 'S0', here: ['check-epsn'] },
  { name: 'Improved Go-Back-N (ST+CE)', papers: 'S0', here: ['improved-gbn'] },
  { name: 'TCP AIMD with IRN', papers: 'S3', here: ['aimd'] },
  { name: 'DCTCP', papers: 'S0 S1 S3 S4', here: ['dctcp', 'dctcp-rate'] },
  { name: 'D2TCP', papers: 'S1', here: ['d2tcp'] },
  { name: 'L2DCT', papers: 'S1', here: ['l2dct'] },
  { name: 'DCQCN', papers: 'S0 S1 S2 S3 S4', here: ['dcqcn', 'dcqcn-connectx4', 'dcqcn-hpcc'] },
  { name: 'TIMELY', papers: 'S0 S1 S2 S3 S4', here: ['timely', 'patched-timely'] },
  { name: 'DX', papers: 'S1', here: ['dx'] },
  { name: 'MELO', papers: 'S3', here: [] },
  { name: 'TaTCP', papers: 'S1', here: [] },
  { name: 'DCQCN+', papers: 'S0', here: [] },
  { name: 'adaptive-acceleration DCTCP', papers: 'S0 S1', here: [] },
  { name: 'DCMPTCP', papers: 'S0 S1', here: [] },
  { name: 'MPTCP', papers: 'S1 S2', here: [] },
  { name: 'TCP/IP', papers: 'S1 S2 S3 S4', here: [] },
  { name: 'QUIC', papers: 'S1', here: [] },
  { name: 'pFabric', papers: 'S1 S3', here: [] },
  { name: 'QJUMP', papers: 'S1', here: [] },
  { name: 'Homa', papers: 'S1', here: [] },
  { name: 'FEC', papers: 'S2', here: [] },
  { name: 'ICTCP', papers: 'S2', here: [] },
  { name: 'DeTail', papers: 'S2', here: [] },
]
