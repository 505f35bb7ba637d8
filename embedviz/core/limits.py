"""Limits of a server that visitors share: on uploads, stored results, and jobs in the queue.

If a limit is reached, the page says so; `docs/operating.md` lists all limits in a table. The limit of one file format
or one method is in its own module.
"""

STAY = 3600.0
"""Seconds that uploads, unsaved trainings and long jobs stay after their last visitor has left."""
UPLOAD_MEGABYTES = 50
"""Maximum megabytes of one upload; `embedviz serve --upload-mb` changes it."""
UPLOAD_BYTES = 8 * 2**30
"""Maximum bytes of all uploads together."""
UNPACKED_BYTES = 2**30
"""Maximum bytes of a packed upload after unpacking; a larger file must be opened by its path."""
SPARE_BYTES = 2**28
"""Minimum bytes that uploads must leave free on the disk."""
PASTED_TEXT = 2_000_000
"""Maximum number of characters of pasted texts."""
PASTED_TABLE = 8_000_000
"""Maximum number of characters of a pasted table or list of sentences."""
DOWNLOAD_BYTES = 150_000_000
"""Maximum bytes of a file made for a download; the server holds it in memory."""
WAITING_JOBS = 20
"""Maximum number of jobs that one visitor may have in the queue."""
WAITING_BYTES = 512 * 2**20
"""Maximum bytes of the arguments of all jobs in the queue."""
FINISHED_JOBS = 200
"""Maximum number of finished jobs whose results wait for their visitors; the oldest are deleted first."""
FINISHED_BYTES = 512 * 2**20
"""Maximum bytes of the results of finished jobs."""
RESULT_BYTES = 256 * 2**20
"""Maximum bytes of the results that all visitors share."""
PRIVATE_RESULT_BYTES = 32 * 2**20
"""Maximum bytes of one private result that a visit stores; a larger one is computed again when it is needed."""
PUBLISHED_BYTES = 1_500_000_000
"""Maximum bytes of the points of all maps that browsers load. Beyond this, the points of the oldest maps are deleted.

Deleted points are published again on demand.
"""
PUBLISHED_TOKENS = 24
"""Maximum number of addresses from which the browser can load map points, per visit."""
STREAMS = 8
"""Maximum number of maps that move while their job runs, per visit."""
WORD_LIST_LETTERS = 50_000_000
"""Maximum number of letters of all words that are suggested while visitors type, over all spaces."""
