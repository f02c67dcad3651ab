/**
 * Parameters of what sending costs in a host and its NIC. Declarations only; the mechanisms are beside this file.
 */
import { duration, group, MS, rateOrOff, textOrOff, type ValuesOf } from '../../../base/params.ts'

const time = (help: string, source: string) => duration({ default: 0, max: 1 * MS, help, source })

export const sendParam = group(
  {
    workRequestGap: time(
      'least time between the starts of two messages of a queue pair; a READ counts where its data are sent; retransmissions do not wait for it',
      'nccl#2409: 344.9ns on ConnectX-7, from 380.0 Gb/s with 16KiB on one queue pair of 400G; 0: ours',
    ),
    readRate: rateOrOff({
      default: null,
      min: 1e3,
      help: 'rate at which the NIC reads payload from host memory, for all its queue pairs together; off: no limit',
      source: 'GB10 (PCIe Gen5 x4): 111.86Gbps measured',
    }),
    readBridge: textOrOff({
      default: null,
      help: 'name of a host bridge: the NICs of a host that name the same one read one after the other, each at its readRate; off: each by itself',
      source: 'nccl#2310: 234Gbps for two NICs below one host bridge, 117Gbps each',
    }),
    postTime: time(
      'time that the one core of a host that posts takes for each message of all its queue pairs; a READ costs the host that asks for it',
      'UCCL: 1.17us; perftest#273 with lists of 128: 133ns; 0: ours',
    ),
    messageGap: time(
      'least time between the first packets of two messages of a NIC, over all its queue pairs',
      'ConnectX-6 user manual: 215 million messages/s, 4.65ns; 0: ours',
    ),
  },
  { help: 'what sending costs in the host and its NIC; by default nothing', per: 'host' },
)

type SendValues = ValuesOf<(typeof sendParam)['fields']>

/** Sending takes more than the time of the link. */
export function hasSendCosts({ workRequestGap, readRate, postTime, messageGap }: SendValues): boolean {
  return readRate !== null || workRequestGap + postTime + messageGap > 0
}
