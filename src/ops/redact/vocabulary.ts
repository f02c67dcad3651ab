/**
 * Vocabulary: words of commands and outputs that stay in a redacted file. Everything else that has letters is a name.
 * All words for which readers search are in it (vocabulary.test.ts), and common words of the same outputs.
 */

const WORDS = `
abled above access accl ack acktimeouts action activate active activemtubytes ad adaptive add addr address admin adp
advertised ae af after aging alert alias aliases all alpha an and any app apply apptrust are arp arpseconds as asic
assigned assured asym asymmetric at attrs auto autoneg autonegotiate autonegotiates backup bad balance bandwidth
banner bapp barefoot baser bbw bcma bdev bdrop becn before below beos best big binterfaces bitmap blldptool block bmap
bmatch bmtu bniccli bnxt bond boolean both bparentbus bps brace breakout bridge bstate buffer bufferbytes
bufferofclass buffers bus bw by bytes byts cable cablem cablesetafterpfc cached capabilities capability case cat cc
cee change changed channel chassis cisco class classes classification classifier classifiers classifies closing cma
cmatclass cnp cnpclass cnpdscp cnphandled cnpignored cnpsent cntn code codes color colour columns command commands
config configuration configurations configured congestion continuous control copp cos count counted counter counters
crc crcerrors cs cumulus curl da data db dc dcb dcbx dcqcn dd deactivate deadlock declare dee default defaults del
delete description detect detected detection detectionps dev device devinfo dflt dis disable disabled discard discards
display displayed dlb do document dog domain done dot down drop dropin dropinport dropout dropped drops dropsategress
dscp dscptoclass dump dup duplicate duplicates duration during dwrr dx dynamic each early echo ecmp ecn ecnmarked
ecnseen edaw edit ef effort egress eight elif else en ena enable enabled encapsulation encoding encodings end enhanced
entries env environment eof eos err error errors esac est et eth ether ethernet ethertypes ethtool ets event events
every evice exact excd exceeded except excess exec execstart exit expedited explicit export exporter false family fc
fcoe fcs feature fec ffff fi field fifo fill filter firewall firmware fixed flexible flood floodslossless flow
flowcontrol flowlet flush for forced forwarding found fpc fpstd frames fte ge generic get gid gids gigether gin global
globalpauserxframes globalpauserxus globalpausetxframes globalpausetxus gm good green grep group groups guaranteed
half handled handshake hash hasheadroom haslldpad hasothercontrol hca header headroom headroombytes headroommax
headroomoversubscription headroomtable history hold host hostname hosts http hw hwif hwifindiscards hwifinerrors
hwifinoctets hwifinpausepkt hwifinpfc hwifoutoctets hwifoutpausepkt hwifoutpfc hwsku ib ibv ice id ieee if iface
ifconfig ifname ignored impl implied impliednaks import in inactive index inet inf infiniband infinite info ingress
ini input instance interface interfaces interpolate interval intf ionic ip ipool ipv is isactive iscsi
isheadroomdynamic isncclginon ispfcasymmetric isup iswatched iswilling its job json junos kbit key kind kmaxbytes
kmaxratio kmgt kminbytes kminratio kvm last latest layer learning len length level limit limits line linecard lines
link linkdowns list lld lldp lldpad lldpcli lldpctl lldpdu lldptool lo loc local localhost localport logging lookup
loopback loss lossless lossy low lower ltv mac macageseconds managed many map mapping maps mark marked marks master
match max maximum mb mc mcast mellanox member memory metadata metrics mg mge mgmt min minimum mlnx mlx mlxconfig
mlxreg mmu mode model module more mru ms mst mstreg mtu mtubytes multicast multiplier nak naks name namespace nan
native nccl ncclginibtc ncclgintype ncclibfifotc ncclibgidindex ncclibhca ncclibretrycount ncclibtc ncclibtimeout
ndevs nee negotiate negotiation neighbor neighbors neighbour net netdev network never nic niccli nicctl nics no node
nodename nohup non none not notification notify np npclasses nq null num number numbers nv nvidia nvue nx object
occupancy octets of off offset oid ok on only oos oper operational operstate options or order os ot other out outbound
outofbuffer outofsequence outouf output over override own packet packetization packets parameter parameters params
parentdev partition passed path pattern pause pausedqueue pauserxtransitions pauserxus pauses pausetxus
pausewatchdogps pci pciewritestallpercent pciewritestallseconds pciname pcp pcs ped peer peerpfcclasses per percent
pfc pfcclasses pfcmode pfcrxframes pfctxframes pfcwd pfcwritten pg phy physical pic pkt pkts plane platform pmaxratio
po point points policing policy poll polling pollps pool poolname pools port portchannel portdescr portid
portpfcrxframes portpfctxframes portrxbytes ports porttxbytes post pre precedence prevention pri primary printenv
printf prio priorities priority pripause probability profile profilename profiles programmable protect protocol
protocols qaz qos qoss quality query queue queuemax queues queuing random range rate ratebps ratelimit rates ratio
rbtcwpso rcv rcvd rdma rdmadevice rdmarxbytes rdmatxbytes re readonly receive received recommended recovery red redis
reg rem remaining remark reminder remote remotedevice remoteportdescr remoteportid repeat replace req request
reservebytes resp rest restart restoration restorationps restore restored retrans retransmits retranspackets retries
retry retryexceeded retx rewrite rnr rnrnaks ro robin robustness roce room round router routing row rows rp rpclasses
rs rt rule rules run running runningconfiguration rx rxbufferhigh rxbytes rxecnmrkd rxpackets rxpfc rxppp rxudp sai
sanitized schedule scheduler schedulers scp sec secondary sel select selective send sendsglobalpause sent seq seqnaks
sequence server service set sets settings shaper shaping share shared sharedheadroombytes sharedmax shell show
shutdown side single six size sizebytes slot slow snmp sonic sp spare spec speed spray stalled stat state states
static staticbytes statistic statistics stats status stomped stompedframes storm stormcutoff stormed storms
stormwarnings strict string stuck sub subscribe sudo sw switch switched switching switchname switchport swp symbol
symbolerrors sys sysfs sysfstclass sysname system table tagged tagging take takesglobalpause tc tcbw tclass te tee
term test text th that the then there things thres threshold time timeout timer tlv to toleratesreordering top tos
toss total tout traditional traffic trafficclass transition transitions transmit transmitted transport tri trimmed
true trunk trust tsa tunable tunnel turn tx txbytes txpackets txpfc txppp txq txudp type uc ucast ucx ucxibtc udx uery
uevent ufeff uname unapplied undefined under unicast unit unknown unprotect unset untagged until untrusted up update
us usage used user username usr va value variables verb version vl vlan vlanmode vport vs warning watch watchdog
watermark wd wdrestores wdstorms weight when which while whole willing window wr wred xe xle xmit xoff xoffbytes xon
xonbytes xonoffsetbytes yellow yes za
`

/** Words beside those that readers ask for, in outputs and in names that devices give by themselves. */
const BESIDE = `
forward sn broadcast dcs kmax levels shares parentbus dscps txt cfg conf log csv yaml yml prom tsv netdevs rd steer missed oversize unsupported op ctrl corrected shorted fw ver
guid image vendor part board lid lmc via rid day days chassisid sysdescr mgmtip ttl sm controlled unlimited cnt help
wait ticks had gauge untyped histogram summary second seconds cqe invalid adp retrans slow restart trans atomic
requests icrc encapsulated between byte cnps clamp tgt inc dce tcp udp rtt initial reduce monitor period first rpg ai
reset gd hai dec fac lifespan resume gbps mbps kbps gb kb tb scheduling inmcastoctets irdma macsec bypass capable
api applied absolute selector setting current kbytes mbytes cl high bios telephone docsis wlan repeater station br
priolevel shape qlimit units afd tail depth txpause txcount rxpause rxcount leafrouter spinerouter torrouter lanes
azure cap delay fragment zero synchronous hundredgige tengige twentyfivegige fortygige uplink versions database
region deployment cloudtype flat arista dell dellemc msn acs gen topo lag leak trig ingr drp wm cell margin buf egr
dismiss wrr hdrm etp downed legacy constraint unreliable datagram phys cur supports advertise sfp qsfp fibre copper
pair basetx passive enforced listen netns qlen qdisc mq noqueue fq codel brd fe llrs vnet
`

const KNOWN: ReadonlySet<string> = new Set(`${WORDS} ${BESIDE}`.split(/\s+/).filter((word) => word !== ''))

/** Numbers with a unit or an exponent, and names by which devices call ports and queues. */
const NUMBER = /^\d+(?:[kmgtpbswe]|[kmgt]i?b(?:ps)?|[kmgt]bit|[mun]s|x\d+)?$/i
const NAMED =
  /^(?:q\d{1,2}|nq\d|\d{1,2}q|[lt]\d|x86|en[opsx]\d{1,5}(?:s\d{1,3})?(?:f\d{1,3})?(?:d\d)?(?:np?\d{1,3})?|(?:pf|vf|np|v)\d{1,3})$/i
/** Numbers in hexadecimal of up to 32 bits, and longer masks, in which few digits are neither none nor all bits. */
const HEXADECIMAL = /^0x[0-9a-f]{1,16}$/i
const isMask = (digits: string): boolean => digits.length <= 8 || digits.replaceAll(/[0f]/gi, '').length <= 4
/** Models of switches: of them the size of buffers is known. */
const MODEL = /^(?:m?sn\d{4}[a-z]?|z\d{4}[a-z]?|\d{4}[a-z]{1,2}\d?|(?:[dc]\d{1,3}){1,2}|td\d|th\d|spc\d)$/i
/** Single letters that are options of commands, queues (c-out-8q-q3) and units. */
const LETTERS = /^[a-z]$/i

/** Whether a word of letters, digits and underscores tells nothing of whose network it is. */
export function isKnownWord(word: string): boolean {
  return word.split('_').every((part) => {
    if (NUMBER.test(part) || NAMED.test(part) || MODEL.test(part) || LETTERS.test(part)) return true
    if (HEXADECIMAL.test(part)) return isMask(part.slice(2))
    const letters = part.toLowerCase().match(/\D+/g) ?? []
    return letters.every((run) => KNOWN.has(run))
  })
}
