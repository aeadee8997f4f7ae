# Chunks of eight are added up once; each prefix then adds what stands before its chunk, and up to eight elements more.
s = sch.get_block("S")
totals, before = sch.split_prefix(s, factor=8)
