"""Limits of a server that visitors share: how much each may bring, hold and wait for.

Where a limit is reached, a sentence on the page names it; `docs/operating.md` has them as a table. A limit that only
one file format or one method has stands in its module.
"""

STAY = 3600.0
"""Seconds that uploads, unsaved trainings and long jobs stay after their last visitor has left."""
UPLOAD_MEGABYTES = 50
"""Megabytes of one upload; `embedviz serve --upload-mb` changes it."""
UPLOAD_BYTES = 8 * 2**30
"""Bytes of all uploads together."""
UNPACKED_BYTES = 2**30
"""Bytes that a packed upload may grow to; larger files come by path."""
SPARE_BYTES = 2**28
"""Bytes of the disk that uploads leave free."""
PASTED_TEXT = 2_000_000
"""Characters of pasted texts."""
PASTED_TABLE = 8_000_000
"""Characters of a pasted table or list of sentences."""
DOWNLOAD_BYTES = 150_000_000
"""Bytes of a file made for a download: the server holds it in memory meanwhile."""
WAITING_JOBS = 20
"""Jobs that one visitor may have in the queue."""
WAITING_BYTES = 512 * 2**20
"""Bytes of the arguments of all jobs in the queue."""
FINISHED_JOBS = 200
"""Finished jobs whose results wait for their visitors; the oldest go first."""
FINISHED_BYTES = 512 * 2**20
"""Bytes of the results of finished jobs."""
RESULT_BYTES = 256 * 2**20
"""Bytes of the results that all visitors share."""
PRIVATE_RESULT_BYTES = 32 * 2**20
"""Bytes of one private result that a visit remembers; a larger one is computed again."""
PUBLISHED_BYTES = 1_500_000_000
"""Bytes of the points of all maps; beyond it the oldest go, and are published again on demand."""
PUBLISHED_TOKENS = 24
"""Addresses of points that one visit holds."""
STREAMS = 8
"""Moving maps of one visit."""
WORD_LIST_LETTERS = 50_000_000
"""Letters of the words that are offered while visitors type, over all spaces."""
